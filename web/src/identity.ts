import { signal } from "@preact/signals";
import { get, patch, post, remove } from "./api";
import { guestHere } from "./here";
import type { Feed, GuestInfo, Known, TransferCode } from "./protocol";
import { language, t } from "./words";

/** Whom the server knows on this device; undefined: not yet asked. */
export const me = signal<GuestInfo | null | undefined>(guestHere);

/** Ask whom the server knows here. */
export async function whoAmI(): Promise<GuestInfo | null> {
  if (me.value === undefined) me.value = await get<GuestInfo | null>("/api/guest");
  return me.value;
}

/** A name for somebody who has not told one. */
export function someName(): string {
  return t("web.guest.name", { number: 10 + Math.floor(Math.random() * 90) });
}

/** Be a guest: the one of this device, else a new one. */
export async function beGuest(name?: string): Promise<GuestInfo> {
  // Another tab may have become a guest since this page came.
  if (me.value === null) me.value = undefined;
  const known = await whoAmI();
  if (known !== null) return known;
  const made = await post<Known>("/api/guests", {
    name: name ?? someName(),
    language: language.value,
  });
  me.value = made.guest;
  return made.guest;
}

/** Be called something else from now on. */
export async function rename(name: string): Promise<void> {
  await beGuest(name);
  me.value = await patch<GuestInfo>("/api/me", { name });
}

/** Another guest who plays on this device; the answer has the device token. */
export async function newGuestHere(name: string): Promise<{ guest: GuestInfo; token: string }> {
  const made = await post<Known>("/api/guests", { name, language: language.value, token: true });
  return { guest: made.guest, token: made.token ?? "" };
}

/** Remove the name everywhere. */
export async function forgetMe(): Promise<void> {
  await remove("/api/me");
  me.value = null;
}

/** A code with which another device becomes the same guest, once. */
export const transferCode = (): Promise<TransferCode> => post<TransferCode>("/api/me/transfer");

/** Become the guest who got a code on another device. */
export async function moveHere(code: string): Promise<GuestInfo> {
  const known = await post<Known>("/api/transfer", { code });
  me.value = known.guest;
  return known.guest;
}

/** The path of a new private feed; the one before ends. */
export async function feedAddress(): Promise<string> {
  return (await post<Feed>("/api/me/feed")).path;
}
