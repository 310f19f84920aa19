// Made of the types of the service by `python -m scripts.make_types`; not edited by hand.

export const PROTOCOL = 1;
export const LANGUAGES = ["de", "en", "fr", "it", "pt"] as const;
export type Language = (typeof LANGUAGES)[number];
export const PHRASES = ["hello", "good_luck", "nice", "oops", "thinking", "thanks", "well_played", "goodbye"] as const;

/** The action is stored. Over a socket the whole view comes along, so no other one follows. */
export interface Ack {
  type: "ack";
  key: string;
  seq: number;
  clock: ClockInfo | null;
  view: ViewInfo | null;
  view_hash: string | null;
}

/** A request: a move, or another action of the table (see `docs/protocol.md`). */
export interface Act {
  type: "act";
  key: string;
  action: string;
}

/** Assist level 3: the coach's values of the options of this view. */
export interface Advice {
  type: "advice";
  options: AdviceInfo[];
  seq: number;
}

/** What the coach expects of an option: final points and share of the victory. */
export interface AdviceInfo {
  expected: number;
  move: string;
  winning: number;
}

/** That somebody is there. */
export interface Alive {
  alive: boolean;
}

/** A bot, weakest first. */
export interface BotInfo {
  name: string;
  offered: boolean;
  title: string;
  character: string;
}

/** The clock of the round, as of the sending of the message. */
export interface ClockInfo {
  left: number;
}

/** The short code of a table that waits. */
export interface Code {
  code: string;
}

/** The combinations of a pattern on a board. */
export interface Combinations {
  count: number;
  points: number;
  combinations: [number, number][][];
  fits: [number, number][][];
  another: boolean;
}

/** An action under its key. */
export interface Deed {
  key: string;
  action: string;
}

/** The unlocked choice; the newest counts when the clock runs out. Not answered. */
export interface Draft {
  type: "draft";
  round: number;
  move: string | null;
}

/** The unlocked choice of a round. */
export interface DraftMove {
  round: number;
  move: string | null;
}

/** The address of a feed; whoever knows it can read it, and nothing more. */
export interface Feed {
  path: string;
}

/** The table of a code. */
export interface Found {
  table: string;
}

/** What somebody wants to be called, and spoken to in. */
export interface GuestChange {
  name?: string | null;
  language?: "de" | "en" | "fr" | "it" | "pt" | null;
}

/** A guest, as she may see herself. */
export interface GuestInfo {
  id: string;
  name: string;
  language: string;
}

/** The first message: with a seat token one's own seat, with a table's id as a spectator. */
export interface Hello {
  type: "hello";
  protocol: number;
  token?: string | null;
  table?: string | null;
  language?: "de" | "en" | "fr" | "it" | "pt";
  assist?: number | null;
}

/** Whom the server knows on this device from now on. */
export interface Known {
  guest: GuestInfo;
  token?: string;
}

/** What this server allows, and where others find it. */
export interface LimitsInfo {
  address: string;
  protocol: number;
  message_bytes: number;
  view_bytes: number;
  unread_bytes: number;
  handshake_seconds: number;
  messages_per_20_seconds: number;
  drafts_per_second: number;
  sockets_per_address: number;
  tables_per_guest: number;
  practice_tables_per_guest: number;
  guests_per_hour: number;
  calls_per_minute: number;
  calls_per_minute_and_guest: number;
  wrong_codes_per_10_minutes: number;
  phrases: string[];
}

/** A table in a list. */
export interface Listing {
  table: string;
  phase: "abandoned" | "finished" | "playing" | "waiting";
  created: number;
  updated: number;
  due: number | null;
  settings: Summary;
  names: (string | null)[];
  made_by_you: boolean;
  your_seat: number | null;
  waits_for_you: boolean;
  round: number | null;
}

/** All that can be marked on a board. */
export interface Marks {
  color: Combinations;
  handle: Combinations;
  row: ScoringRuns;
  short: Short[];
}

/** Who somebody wants to be. */
export interface NewGuest {
  name: string;
  language?: "de" | "en" | "fr" | "it" | "pt" | null;
  token?: boolean;
}

/** A table that was made, and the token with which its host may watch it over the socket. */
export interface NewTable {
  table: TableInfo;
  token: string;
}

/** Something that was said or noticed at a table. */
export interface News {
  at: number;
  message: Said | Notice;
}

/** Something that happened at the table: `bot_replaced`, `reshuffled` or `timeout`. */
export interface Notice {
  type: "notice";
  code: string;
  seat: number | null;
  sentence: string;
}

/** A legal move; with the points if the game ended after it, where the table shows them. */
export interface OptionInfo {
  move: string;
  points?: PointsInfo;
}

/** The commit takes longer than a second, or without a key the greeting; the answer follows. */
export interface Pending {
  type: "pending";
  key: string | null;
}

/** One of the fixed phrases. */
export interface Phrase {
  phrase: string;
}

/** A sign of life; `active` tells that the person did something since the last one. */
export interface Ping {
  type: "ping";
  active?: boolean;
}

/** A player of a score request. */
export interface PlayerLine {
  name: string;
  board: string;
  swap_used?: boolean;
}

/** Points, split by where they come from. In alphabetical order. */
export interface PointsInfo {
  bonus: number;
  color: number;
  handle: number;
  row: number;
  swap: number;
  total: number;
}

/** The answer to `ping`. */
export interface Pong {
  type: "pong";
}

/** How much of a long calculation is done, 0 to 1; ask again in a second or two. */
export interface Progress {
  progress: number;
}

/** What a proof file holds; `sideboards verify` checks it. */
export interface ProofInfo {
  table: string;
  rules: string;
  server_seed: string;
  server_commit: string;
  seat_seeds: string[];
  seat_commits: string[];
  deck: number[];
  objectives: [number, number, number];
  refill: number[];
}

/** The part of a view that everybody shares. In alphabetical order. */
export interface PublicInfo {
  discards: number;
  pile: number;
  round: number;
  scores: PointsInfo[] | null;
  sealed: boolean[];
  swapped: number[];
  swaps: boolean[];
}

/** Replaces `public` in the view at hand. */
export interface PublicMessage {
  type: "public";
  clock: ClockInfo | null;
  public: PublicInfo;
  seq: number;
}

/** The action, or message, was not accepted; the view is the truth. */
export interface Refused {
  type: "refused";
  code: string;
  key: string | null;
  sentence: string;
  seq: number | null;
  view: ViewInfo | null;
  view_hash: string | null;
}

/** The table at which it goes on. */
export interface Rematch {
  table: TableInfo;
}

/** A whole game, round by round. */
export interface Replay {
  mode: "solo" | "standard" | "variant";
  objectives: [number, number, number];
  names: (string | null)[];
  rounds: RoundInfo[];
}

/** How a game ended. In alphabetical order. */
export interface ResultInfo {
  places: number[];
  tier: number | null;
  winners: number[];
}

/** Asks for the table and the whole view again. */
export interface Resync {
  type: "resync";
}

/** One round, all hands open. */
export interface RoundInfo {
  round: number;
  hands: number[][][];
  moves: string[];
  boards: string[];
  scores: PointsInfo[];
}

/** Somebody said a fixed phrase. */
export interface Said {
  type: "said";
  phrase: string;
  seat: number;
}

/** A fixed phrase for everybody at the table. */
export interface Say {
  type: "say";
  phrase: string;
}

/** Boards of any table, also the printed game's, finished or not. */
export interface ScoreRequest {
  objectives: [unknown, unknown, unknown];
  mode: "solo" | "standard" | "variant";
  players: PlayerLine[];
}

/** The runs that score. */
export interface ScoringRuns {
  length: number;
  points: number;
  runs: [number, number][][];
}

/** Who sits at a seat, as everybody may know. */
export interface SeatInfo {
  kind: "bot" | "empty" | "person";
  name: string | null;
  bot: string | null;
  present: boolean;
  away: boolean;
  commit: string;
  opened: boolean;
  votes: number[];
}

/** A seat, and the token with which its owner plays over the socket. */
export interface Seated {
  seat: number;
  token: string;
  table: TableInfo;
}

/** What is agreed before a game. */
export interface Settings {
  seats: number;
  variant: boolean;
  objectives: [number, number, number] | null;
  round_seconds: number | null;
  assist: number;
  public: boolean;
  spectators: boolean;
  phrases: boolean;
  practice: string | null;
}

/** A drawer that is missing: laid at this end and height it makes one combination more. */
export interface Short {
  kind: "color" | "handle";
  end: "left" | "right";
  height: number;
  what: "black" | "orange" | "pink" | "red" | "turquoise" | "bar" | "flower" | "square";
}

/** Which seat somebody wants. */
export interface SitDown {
  seat?: number | null;
  commit?: string;
}

/** What a list tells of a table besides its people. */
export interface Summary {
  seats: number;
  variant: boolean;
  objectives: [number, number, number] | null;
  round_seconds: number | null;
  assist: number;
  spectators: boolean;
  practice: boolean;
  bots: (string | null)[];
}

/** A table as everybody at it may know it. */
export interface TableInfo {
  table: string;
  phase: "abandoned" | "finished" | "playing" | "waiting";
  settings: Settings;
  rules: string;
  commit: string;
  host: number | null;
  seats: SeatInfo[];
  started: boolean;
  code: string | null;
  next: string | null;
}

/** The table as it is now. */
export interface TableMessage {
  type: "table";
  table: TableInfo;
}

/** A code from another device. */
export interface Transfer {
  code: string;
  token?: boolean;
}

/** A code with which another device becomes the same guest, once. */
export interface TransferCode {
  code: string;
  seconds: number;
}

/** All that one seat, or a spectator, may know of a game. In alphabetical order. */
export interface ViewInfo {
  boards: string[];
  choice: string | null;
  hands: (number[][] | null)[];
  mode: "solo" | "standard" | "variant";
  objectives: [number, number, number];
  open_discards: number[] | null;
  options: OptionInfo[];
  played: string[];
  public: PublicInfo;
  result: ResultInfo | null;
  seat: number | null;
}

/** The whole view; `hash` is the SHA-256 of its canonical JSON, 32 hexadecimal digits. */
export interface ViewMessage {
  type: "view";
  clock: ClockInfo | null;
  hash: string;
  seq: number;
  view: ViewInfo;
}

/** The answer to `hello`; `table` and, once dealt, `view` follow. */
export interface Welcome {
  type: "welcome";
  protocol: number;
  seat: number | null;
  table: string;
}

export type ClientMessage = Hello | Act | Draft | Say | Ping | Resync;

export type ServerMessage = Welcome | TableMessage | ViewMessage | PublicMessage | Ack | Refused | Pending | Pong | Said | Notice | Advice;
