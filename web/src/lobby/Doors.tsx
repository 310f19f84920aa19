import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Switch } from "../menu/fields";
import { choose, NAMES } from "../menu/languages";
import { sentenceOf } from "../menu/trouble";
import { LANGUAGES } from "../protocol";
import { change, settings } from "../settings";
import { language, t } from "../words";
import { playNow, playSolo, withFriends } from "./start";

interface DoorsProps {
  trouble: string;
  onTrouble: (sentence: string) => void;
}

type Door = "now" | "friends" | "solo";
const WAYS: Record<Door, () => Promise<void>> = {
  now: playNow,
  friends: () => withFriends(),
  solo: playSolo,
};

/** The ways into a game, each with one tap. */
export function Doors({ trouble, onTrouble }: DoorsProps): VNode {
  const [opening, setOpening] = useState<Door | null>(null);

  function enter(door: Door): void {
    if (opening !== null) return;
    setOpening(door);
    onTrouble("");
    WAYS[door]().catch((error: unknown) => {
      setOpening(null);
      onTrouble(sentenceOf(error));
    });
  }

  const door = (which: Door, name: string, note: string): VNode => (
    <button
      type="button"
      class={which === "now" ? "button main door" : "button door"}
      aria-busy={opening === which}
      onClick={() => enter(which)}
    >
      <span>{name}</span>
      <small>{opening === which ? t("web.lobby.dealing") : note}</small>
    </button>
  );

  return (
    <div class="doors">
      {door("now", t("web.lobby.now"), t("web.lobby.now.note"))}
      {door("friends", t("web.lobby.friends"), t("web.lobby.friends.note"))}
      {door("solo", t("web.lobby.solo"), t("web.lobby.solo.note"))}
      <p class="refusal" role="alert">
        {trouble}
      </p>
      <div class="doors-below">
        <label class="language">
          <span class="hidden-text">{t("web.menu.language")}</span>
          <select
            value={language.value}
            onChange={(event) => {
              const wanted = event.currentTarget.value;
              const found = LANGUAGES.find((each) => each === wanted);
              if (found !== undefined) choose(found);
            }}
          >
            {LANGUAGES.map((each) => (
              <option key={each} value={each} lang={each}>
                {NAMES[each]}
              </option>
            ))}
          </select>
        </label>
        <Switch
          label={t("web.lobby.knows")}
          on={settings.value.knowsRules}
          onToggle={(knowsRules) => change({ knowsRules })}
        />
      </div>
    </div>
  );
}
