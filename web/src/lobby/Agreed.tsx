import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type Choice, OneOf } from "../menu/fields";
import type { Settings, TableInfo } from "../protocol";
import { t } from "../words";
import type { Doing } from "./TablePage";
import { CLOCKS, cut, type Part, paceWords, partWords, seatsInUse } from "./terms";

interface AgreedProps {
  info: TableInfo;
  host: boolean;
  doing: Doing;
}

/** All settings as one sentence; for the host its parts are buttons that open the choices. */
export function Agreed({ info, host, doing }: AgreedProps): VNode {
  const [asked, ask] = useState<Part | null>(null);
  return (
    <section class="agreed">
      <h2 class="hidden-text">{t("web.lobby.agreed")}</h2>
      <p class="agreed-sentence">
        {cut(t("web.lobby.sentence")).map((piece) => {
          if (typeof piece === "string") return piece;
          const { part, stop } = piece;
          const words = partWords(part, info.settings);
          if (!host) return `${words}${stop}`;
          if (part === "objectives")
            return (
              <a key={part} class="agreed-part" href="#objectives">
                {words}
                <i>{stop}</i>
              </a>
            );
          return (
            <button
              key={part}
              type="button"
              class="agreed-part"
              aria-expanded={asked === part}
              aria-controls="agreed-choices"
              onClick={() => ask(asked === part ? null : part)}
            >
              {words}
              <i>{stop}</i>
            </button>
          );
        })}
      </p>
      <div id="agreed-choices" aria-live="polite">
        {host && asked !== null && <Choices part={asked} info={info} doing={doing} />}
      </div>
    </section>
  );
}

interface ChoicesProps {
  part: Part;
  info: TableInfo;
  doing: Doing;
}

type Setting = Partial<Settings>;
interface Offer {
  legend: string;
  now: string;
  choices: (Choice<string> & { set: Setting })[];
}

/** What can be agreed about a part, and why something cannot. */
export function offer(part: Part, info: TableInfo): Offer {
  const settings = info.settings;
  const choice = (set: Setting, reason?: string) => {
    const after = { ...settings, ...set };
    return { value: partWords(part, after), label: partWords(part, after), set, reason };
  };
  const now = partWords(part, settings);
  switch (part) {
    case "seats": {
      const taken = seatsInUse(info);
      const choices = [1, 2, 3, 4, 5, 6].map((seats) =>
        choice(
          seats === 1 ? { seats, variant: false } : { seats },
          seats < taken ? t("web.lobby.reason.taken") : undefined,
        ),
      );
      return { legend: t("web.lobby.ask.seats"), now, choices };
    }
    case "pace":
      return {
        legend: t("web.lobby.ask.pace"),
        now: paceWords(settings.round_seconds),
        choices: CLOCKS.map((round_seconds) => choice({ round_seconds })),
      };
    case "assist": {
      const people = info.seats.filter((seat) => seat.kind === "person").length;
      const coach = settings.public
        ? t("web.lobby.reason.public")
        : people > 1
          ? t("web.lobby.reason.people")
          : undefined;
      const choices = [0, 1, 2, 3].map((assist) =>
        choice({ assist }, assist === 3 ? coach : undefined),
      );
      return { legend: t("web.lobby.ask.assist"), now, choices };
    }
    case "hands": {
      const alone = settings.seats === 1 ? t("web.lobby.reason.alone") : undefined;
      const choices = [choice({ variant: false }), choice({ variant: true }, alone)];
      return { legend: t("web.lobby.ask.hands"), now, choices };
    }
    case "access": {
      const coach = settings.assist === 3 ? t("web.lobby.reason.coach") : undefined;
      const choices = [choice({ public: false }), choice({ public: true }, coach)];
      return { legend: t("web.lobby.ask.access"), now, choices };
    }
    case "watch":
      return {
        legend: t("web.lobby.ask.watch"),
        now,
        choices: [choice({ spectators: true }), choice({ spectators: false })],
      };
    case "phrases":
      return {
        legend: t("web.lobby.ask.phrases"),
        now,
        choices: [choice({ phrases: true }), choice({ phrases: false })],
      };
    case "objectives":
      return { legend: "", now, choices: [] };
  }
}

function Choices({ part, info, doing }: ChoicesProps): VNode {
  const { legend, now, choices } = offer(part, info);
  return (
    <div class="box">
      <OneOf
        legend={legend}
        value={now}
        choices={choices}
        onChoose={(chosen) => {
          const found = choices.find((each) => each.value === chosen);
          if (found !== undefined) doing.attempt(() => doing.change(found.set));
        }}
      />
    </div>
  );
}
