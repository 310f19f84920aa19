import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** The SHA-256 of a text in hexadecimal digits; works without a secure context. */
export function hash(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** A fresh seed, 64 hexadecimal digits. */
export function newSeed(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(32)));
}
