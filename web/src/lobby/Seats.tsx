import type { VNode } from "preact";
import { boot } from "../boot";
import { OneOf } from "../menu/fields";
import type { SeatInfo, TableInfo } from "../protocol";
import { t } from "../words";
import type { Doing } from "./TablePage";
import { seatsInUse } from "./terms";

interface SeatsProps {
  info: TableInfo;
  /** The seats of this device. */
  mine: number[];
  host: boolean;
  doing: Doing;
}

/** The bots that a table offers, weakest first; the others are for measuring. */
const STRENGTHS = ["easy", "medium", "hard", "master"];

/** What is said of somebody who sits: you, host, where, whether there. */
export function seatNotes(info: TableInfo, seat: number, mine: number[]): string {
  const here = info.seats[seat];
  const notes: string[] = [];
  const [me] = mine;
  const count = info.seats.length;
  if (seat === me) notes.push(t("web.lobby.you"));
  else if (mine.includes(seat)) notes.push(t("web.lobby.here"));
  if (seat === info.host) notes.push(t("web.lobby.host"));
  if (here?.kind === "person" && !mine.includes(seat))
    notes.push(here.present ? t("web.lobby.ready") : t("web.lobby.absent"));
  if (me !== undefined && seat !== me && here?.kind !== "empty") {
    if (seat === (me + 1) % count) notes.push(t("web.lobby.left"));
    else if (seat === (me + count - 1) % count) notes.push(t("web.lobby.right"));
  }
  return notes.join(" · ");
}

/** Who sits where; the host adds bots and sends away. */
export function Seats({ info, mine, host, doing }: SeatsProps): VNode {
  const free = info.seats.flatMap((seat, i) => (seat.kind === "empty" ? [i] : []));
  const trailing = seatsInUse(info);
  return (
    <section class="seats-section" aria-label={t("web.lobby.seats")}>
      <ol class="seats box">
        {info.seats.map((seat, i) => (
          <li key={i} class={`chair ${seat.kind}`}>
            <span class="seat-number">{i + 1}</span>
            <Seat seat={seat} number={i} info={info} mine={mine} host={host} doing={doing} />
          </li>
        ))}
      </ol>
      {host && free.length > 0 && (
        <div class="buttons">
          <button
            type="button"
            class="button"
            onClick={() =>
              doing.attempt(async () => {
                for (const i of free) await doing.act(`bot ${i} easy`);
              })
            }
          >
            {t("web.lobby.fill")}
          </button>
          {trailing < info.seats.length && trailing > 0 && (
            <button
              type="button"
              class="button"
              onClick={() =>
                doing.attempt(() =>
                  doing.change({
                    seats: trailing,
                    variant: info.settings.variant && trailing > 1,
                  }),
                )
              }
            >
              {t("web.lobby.fewer")}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

interface SeatProps extends SeatsProps {
  seat: SeatInfo;
  number: number;
}

function Seat({ seat, number, info, mine, host, doing }: SeatProps): VNode {
  if (seat.kind === "empty")
    return (
      <>
        <div class="seat-who">
          <strong>{t("web.lobby.free")}</strong>
          <small>{t("web.lobby.free.note")}</small>
        </div>
        {host && (
          <button
            type="button"
            class="button add-bot"
            aria-label={t("web.lobby.addbot.to", { number: number + 1 })}
            onClick={() => doing.attempt(() => doing.act(`bot ${number} easy`))}
          >
            + {t("web.lobby.addbot")}
          </button>
        )}
      </>
    );
  const bot = seat.kind === "bot" ? (seat.bot ?? "") : null;
  const name = bot === null ? (seat.name ?? t("web.lobby.deleted")) : t("web.lobby.bot");
  const notes = seatNotes(info, number, mine);
  return (
    <>
      <div class="seat-who">
        <strong>{name}</strong>
        <small>
          {bot !== null && !host && (
            <>
              {t(`bot.${bot}`)}
              {notes !== "" && " · "}
            </>
          )}
          {notes}
        </small>
      </div>
      {bot !== null && host && (
        <OneOf
          legend={t("web.lobby.strength", { number: number + 1 })}
          quiet
          joined
          value={bot}
          choices={STRENGTHS.map((value) => ({
            value,
            label: t(`bot.${value}`),
            reason: boot.bots.some((each) => each.name === value && each.offered)
              ? undefined
              : t("web.lobby.bot.missing"),
          }))}
          onChoose={(strength) => doing.attempt(() => doing.act(`bot ${number} ${strength}`))}
        />
      )}
      {host && number !== mine[0] && (
        <button
          type="button"
          class="menu-button remove"
          aria-label={t("web.lobby.remove", { name, number: number + 1 })}
          onClick={() => doing.attempt(() => doing.act(`remove ${number}`))}
        >
          <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
            <path d="M5 5l14 14M19 5L5 19" stroke="currentColor" stroke-width="2.2" />
          </svg>
        </button>
      )}
    </>
  );
}
