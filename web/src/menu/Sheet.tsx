import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { boot } from "../boot";
import { askToNotify, canNotify, notifies } from "../notify";
import { LANGUAGES } from "../protocol";
import { path } from "../route";
import { change, type Kept, settings } from "../settings";
import { restart } from "../tutorial/seen";
import { language, t } from "../words";
import { type Choice, OneOf, Switch } from "./fields";
import { Letters } from "./Letters";
import { choose, NAMES } from "./languages";
import { Myself } from "./Myself";
import { stays, visit } from "./visit";

/** All that the menu offers. */
export function Sheet({ extra, close }: { extra: VNode[]; close: () => void }): VNode {
  const languages = LANGUAGES.map((each) => ({ value: each, label: NAMES[each], lang: each }));
  return (
    <div class="menu-body">
      <Ways extra={extra} close={close} />
      <OneOf
        legend={t("web.menu.language")}
        value={language.value}
        choices={languages}
        onChoose={choose}
      />
      <Look />
      <Playing />
      <Myself />
      <section>
        <h3>{t("web.menu.about")}</h3>
        <p class="note">{t("web.menu.unofficial")}</p>
        <p class="note">{t("web.menu.private")}</p>
        <p class="note">{t("web.menu.version", { version: boot.version })}</p>
      </section>
    </div>
  );
}

/** Where one can go from here. */
function Ways({ extra, close }: { extra: VNode[]; close: () => void }): VNode {
  const [told, tell] = useState(false);
  const here = path.value;
  const link = (to: string, text: string): VNode | null =>
    here === to ? null : (
      <a
        class="menu-way"
        href={to}
        onClick={(event) => {
          if (!stays(event)) return;
          event.preventDefault();
          close();
          visit(to);
        }}
      >
        {text}
      </a>
    );
  return (
    <nav class="menu-ways" aria-label={t("web.menu.open")}>
      {extra}
      {link("/rules", t("web.menu.rules"))}
      <button
        type="button"
        class="menu-way"
        onClick={() => {
          restart();
          tell(true);
        }}
      >
        {t("web.menu.tutorial")}
      </button>
      <p class="note" role="status">
        {told && t("web.menu.tutorial.again")}
      </p>
      {link("/lobby", t("web.menu.tables"))}
      {link("/", t("web.menu.home"))}
    </nav>
  );
}

function choices<T extends string>(values: readonly T[], name: (value: T) => string): Choice<T>[] {
  return values.map((value) => ({ value, label: name(value) }));
}

function Look(): VNode {
  const now = settings.value;
  return (
    <section>
      <h3>{t("web.menu.look")}</h3>
      <OneOf
        legend={t("web.menu.theme")}
        joined
        value={now.theme}
        choices={choices(["auto", "light", "dark"] as const, (each) => t(`web.menu.theme.${each}`))}
        onChoose={(theme) => change({ theme })}
      />
      <OneOf
        legend={t("web.menu.textures")}
        joined
        value={now.textures}
        choices={choices(["subtle", "strong", "off"] as const, (each) =>
          t(`web.menu.textures.${each}`),
        )}
        onChoose={(textures) => change({ textures })}
      />
      <OneOf
        legend={t("web.menu.speed")}
        joined
        value={now.speed}
        choices={choices(["normal", "fast", "none"] as const, (each) =>
          t(`web.menu.speed.${each}`),
        )}
        onChoose={(speed) => change({ speed })}
      />
    </section>
  );
}

const HELP: Kept["assist"][] = [0, 1, 2, 3];

function Playing(): VNode {
  const now = settings.value;
  return (
    <section>
      <h3>{t("web.menu.playing")}</h3>
      <OneOf
        legend={t("web.menu.assist")}
        joined
        note={t("web.menu.assist.note")}
        value={now.assist}
        choices={HELP.map((value) => ({ value, label: t(`web.menu.assist.${value}`) }))}
        onChoose={(assist) => change({ assist })}
      />
      <Switch label={t("web.menu.sound")} on={now.sound} onToggle={(sound) => change({ sound })} />
      <Switch
        label={t("web.menu.left")}
        on={now.leftHanded}
        onToggle={(leftHanded) => change({ leftHanded })}
      />
      <Switch label={t("web.menu.keys")} on={now.keys} onToggle={(keys) => change({ keys })} />
      {now.keys && <Letters />}
      {canNotify() && <Notices />}
      <Switch
        label={t("web.menu.mute")}
        on={!now.phrases}
        onToggle={(mute) => change({ phrases: !mute })}
      />
    </section>
  );
}

/** Whether the browser tells that it is one's turn; it is asked only here. */
function Notices(): VNode {
  const [refused, refuse] = useState(false);
  async function wish(on: boolean): Promise<void> {
    const allowed = on && (await askToNotify());
    refuse(on && !allowed);
    change({ notify: allowed });
  }
  return (
    <>
      <Switch label={t("web.menu.notify")} on={notifies()} onToggle={(on) => void wish(on)} />
      <p class="note" role="status">
        {refused ? t("web.menu.notify.refused") : notifies() && t("web.menu.notify.note")}
      </p>
    </>
  );
}
