import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { boot } from "../boot";
import { copy } from "../menu/copy";
import type { TableInfo } from "../protocol";
import { t } from "../words";

/** A short code in two halves, easier to say and to type. */
function halves(code: string): string {
  return `${code.slice(0, 3)} ${code.slice(3)}`;
}

/** Where others reach this server: an address of this machine alone would lead them nowhere. */
function addressForOthers(): string {
  const here = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return here && boot.room !== null ? boot.room : location.href;
}

/** How others come to this table: a picture for cameras, a link, a code. */
export function Invitation({ info }: { info: TableInfo }): VNode | null {
  const [said, say] = useState("");
  const shown = useRef<HTMLElement>(null);
  if (info.settings.seats === 1) return null;
  const link = new URL(`/t/${info.table}`, addressForOthers()).href;
  const short = link.replace(/^https?:\/\//, "");

  async function onCopy(): Promise<void> {
    const copied = await copy(link, shown.current);
    say(t(copied ? "web.menu.copied" : "web.menu.selected"));
  }

  return (
    <section class="box invitation">
      <img src={`/t/${info.table}/qr.svg`} alt={t("web.lobby.qr")} width="116" height="116" />
      <div class="invitation-words">
        <h2>{t("web.lobby.scan")}</h2>
        <p class="note">{t("web.lobby.link")}</p>
        <p class="address">
          <a href={link}>
            <span ref={shown}>{short}</span>
          </a>
        </p>
        {info.code !== null && (
          <p class="note">
            {t("web.lobby.short")} <strong class="short-code">{halves(info.code)}</strong>
          </p>
        )}
      </div>
      <div class="buttons">
        <button type="button" class="button" onClick={() => void onCopy()}>
          {t("web.menu.copy")}
        </button>
        {typeof navigator.share === "function" && (
          <button
            type="button"
            class="button"
            onClick={() =>
              navigator
                .share({ title: t("term.game"), text: t("web.lobby.invite"), url: link })
                .catch(() => undefined)
            }
          >
            {t("web.lobby.share")}
          </button>
        )}
      </div>
      <p class="said" role="status">
        {said}
      </p>
    </section>
  );
}
