import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Refusal } from "../api";
import { beGuest, newGuestHere, rename, someName } from "../identity";
import { LineOfText } from "../menu/fields";
import { LONGEST_NAME, NameLine } from "../menu/NameLine";
import type { TableInfo } from "../protocol";
import { type Sitting, sitDown } from "../sitting";
import { t } from "../words";
import type { Doing } from "./TablePage";

interface JoinProps {
  info: TableInfo;
  mine: number[];
  join: (sitting: Sitting) => void;
  doing: Doing;
}

/** Take the first seat that is free; when somebody is faster, the next one. */
async function sitAnywhere(info: TableInfo, bearer?: string): Promise<Sitting> {
  const free = info.seats.flatMap((seat, i) => (seat.kind === "empty" ? [i] : []));
  for (const seat of free) {
    try {
      return await sitDown(info, seat, bearer);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "seat_taken") throw error;
    }
  }
  throw new Refusal("table_full", t("refusal.table_full"), 409);
}

/** For those who came by a link: a name and one button; where all is full, to watch. */
export function Join({ info, mine, join, doing }: JoinProps): VNode | null {
  const [busy, setBusy] = useState(false);
  if (mine.length > 0) return null;
  if (info.seats.every((seat) => seat.kind !== "empty"))
    return (
      <p class="box" role="status">
        {info.settings.spectators ? t("web.lobby.full") : t("web.lobby.full.private")}
      </p>
    );

  async function sit(name: string): Promise<void> {
    const guest = await beGuest(name);
    if (guest.name !== name) await rename(name);
    join(await sitAnywhere(info));
  }

  return (
    <section class="box join">
      <NameLine
        label={t("web.lobby.yourname")}
        button={t("web.lobby.sit")}
        main
        busy={busy}
        unknown={someName}
        onName={(name) => {
          setBusy(true);
          doing.attempt(() => sit(name).finally(() => setBusy(false)));
        }}
      />
    </section>
  );
}

/** More people who share this device: each has a seat, and a cover hides the cards in between. */
export function SeveralHere({ info, join, doing }: Omit<JoinProps, "mine">): VNode | null {
  const [name, setName] = useState("");
  if (info.seats.every((seat) => seat.kind !== "empty")) return null;

  async function add(): Promise<void> {
    const { token } = await newGuestHere(name.trim());
    join(await sitAnywhere(info, token));
    setName("");
  }

  return (
    <details class="box several">
      <summary>{t("web.lobby.several")}</summary>
      <p class="note">{t("web.lobby.several.note")}</p>
      <LineOfText
        label={t("web.lobby.several.name")}
        value={name}
        longest={LONGEST_NAME}
        button={t("web.lobby.sit")}
        onInput={setName}
        onSubmit={() => doing.attempt(add)}
      />
    </details>
  );
}
