import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { beGuest, feedAddress, forgetMe, me, moveHere, rename, transferCode } from "../identity";
import { t } from "../words";
import { copy } from "./copy";
import { LineOfText } from "./fields";
import { NameLine } from "./NameLine";
import { sentenceOf } from "./trouble";

const LONGEST_CODE = 40;

/** Who one is here: name, other devices, feed, and to be forgotten. */
export function Myself(): VNode {
  const [said, say] = useState("");

  /** Do something, and say how it went. */
  function attempt(deed: () => Promise<string>): void {
    say("");
    deed().then(say, (error: unknown) => say(sentenceOf(error)));
  }

  return (
    <section>
      <h3>{t("web.menu.you")}</h3>
      <NameLine
        label={t("web.menu.name")}
        button={t("web.menu.name.save")}
        onName={(name) =>
          attempt(async () => {
            await rename(name);
            return t("web.menu.name.saved", { name: me.value?.name ?? "" });
          })
        }
      />
      <p role="status" class="said">
        {said}
      </p>
      <OtherDevice attempt={attempt} />
      <FeedAddress attempt={attempt} />
      {me.value != null && <DeleteMe attempt={attempt} />}
    </section>
  );
}

interface Part {
  attempt: (deed: () => Promise<string>) => void;
}

function OtherDevice({ attempt }: Part): VNode {
  const [given, setGiven] = useState<{ code: string; seconds: number } | null>(null);
  const [code, setCode] = useState("");
  return (
    <details>
      <summary>{t("web.menu.device")}</summary>
      {given === null ? (
        <button
          type="button"
          class="button"
          onClick={() =>
            attempt(async () => {
              await beGuest();
              setGiven(await transferCode());
              return "";
            })
          }
        >
          {t("web.menu.device.get")}
        </button>
      ) : (
        <div aria-live="polite">
          <p class="code">{given.code}</p>
          <p class="note">
            {t("web.menu.device.code")}{" "}
            {t("web.menu.device.minutes", { count: Math.round(given.seconds / 60) })}
          </p>
        </div>
      )}
      <LineOfText
        label={t("web.menu.device.enter")}
        value={code}
        longest={LONGEST_CODE}
        button={t("web.menu.device.use")}
        onInput={setCode}
        onSubmit={() =>
          attempt(async () => {
            const guest = await moveHere(code);
            setCode("");
            return t("web.menu.device.done", { name: guest.name });
          })
        }
      />
    </details>
  );
}

function FeedAddress({ attempt }: Part): VNode {
  const [address, setAddress] = useState("");
  const shown = useRef<HTMLElement>(null);
  return (
    <details>
      <summary>{t("web.menu.feed")}</summary>
      <p class="note">{t("web.menu.feed.note")}</p>
      {address !== "" && (
        <p class="address">
          <code ref={shown}>{address}</code>
        </p>
      )}
      <div class="buttons">
        {address !== "" && (
          <button
            type="button"
            class="button"
            onClick={() =>
              attempt(async () =>
                t((await copy(address, shown.current)) ? "web.menu.copied" : "web.menu.selected"),
              )
            }
          >
            {t("web.menu.copy")}
          </button>
        )}
        <button
          type="button"
          class="button"
          onClick={() =>
            attempt(async () => {
              await beGuest();
              setAddress(new URL(await feedAddress(), location.href).href);
              return "";
            })
          }
        >
          {t("web.menu.feed.get")}
        </button>
      </div>
    </details>
  );
}

function DeleteMe({ attempt }: Part): VNode {
  const [asking, ask] = useState(false);
  if (!asking)
    return (
      <button type="button" class="button" onClick={() => ask(true)}>
        {t("web.menu.delete")}
      </button>
    );
  return (
    <fieldset class="asking">
      <legend>{t("web.menu.delete.ask")}</legend>
      <div class="buttons">
        <button
          type="button"
          class="button"
          onClick={() =>
            attempt(async () => {
              await forgetMe();
              return t("web.menu.delete.done");
            })
          }
        >
          {t("web.menu.delete.yes")}
        </button>
        {/* biome-ignore lint/a11y/noAutofocus: the safe answer is at hand after a question */}
        <button type="button" class="button" autoFocus onClick={() => ask(false)}>
          {t("web.menu.delete.no")}
        </button>
      </div>
    </fieldset>
  );
}
