import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Notice, PHRASES } from "../protocol";
import { labelled } from "../sentences";
import { settings } from "../settings";
import { has, t } from "../words";
import { Close } from "./icons";
import { lettersOf, writtenAll } from "./letters";
import type { Scene } from "./scene";

const NEWS_LASTS = 6000;

/** What happened, with the name that this screen has for the seat. */
function noticeWords(scene: Scene, { code, seat, sentence }: Notice): string {
  const key = `notice.${code}`;
  return seat === null || !has(key) ? sentence : t(key, { name: scene.name(seat) });
}

/** What somebody said, or what happened, for a few seconds. */
export function News({ scene }: { scene: Scene }): VNode | null {
  const news = scene.place.news.value;
  const [shown, show] = useState<string | null>(null);
  useEffect(() => {
    if (news === null) return;
    if (news.type === "said" && (!settings.value.phrases || news.seat === scene.seat)) return;
    const words =
      news.type === "notice"
        ? noticeWords(scene, news)
        : labelled(scene.name(news.seat), t(`phrase.${news.phrase}`));
    show(words);
    scene.desk.said.value = words;
    const timer = setTimeout(() => show(null), NEWS_LASTS);
    return () => clearTimeout(timer);
  }, [news]);
  return shown === null ? null : <p class="news">{shown}</p>;
}

/** A thin banner while nothing reaches the server, or another tab plays. */
export function Banner({ scene }: { scene: Scene }): VNode | null {
  const { place } = scene;
  const link = place.link.value;
  if (link === "lost" && place.view.value !== null)
    return (
      <p class="banner">
        {place.why.value === null ? t("web.play.lost.banner") : t(`refusal.${place.why.value}`)}
      </p>
    );
  if (link !== "newer") return null;
  return (
    <p class="banner">
      {t("refusal.newer_tab")}
      <button type="button" class="button small" onClick={place.reopen}>
        {t("web.play.newer")}
      </button>
    </p>
  );
}

/** For those who are away on a table without a clock, others may let a bot choose. */
export function Helping({ scene }: { scene: Scene }): VNode | null {
  const { table, view, seat, desk } = scene;
  if (seat === null || table.settings.round_seconds !== null) return null;
  const away = table.seats.flatMap((each, i) =>
    i !== seat && each.kind === "person" && each.bot === null && each.away && !view.public.sealed[i]
      ? [i]
      : [],
  );
  if (away.length === 0) return null;
  return (
    <div class="helping">
      {away.slice(0, 2).map((i) => (
        <button key={i} type="button" class="button small" onClick={() => desk.ask(`help ${i}`)}>
          {t("web.play.help", { name: scene.name(i) })}
        </button>
      ))}
    </div>
  );
}

/** The few things that can be said at a table. */
export function Phrases({ scene, close }: { scene: Scene; close: () => void }): VNode {
  return (
    <section class="panel phrases" aria-label={t("web.play.phrases")}>
      {PHRASES.map((phrase) => (
        <button
          key={phrase}
          type="button"
          class="button small"
          onClick={() => {
            scene.place.say(phrase);
            close();
          }}
        >
          {t(`phrase.${phrase}`)}
        </button>
      ))}
      <Close close={close} />
    </section>
  );
}

/** Which keys do what. */
export function KeyHelp({ close }: { close: () => void }): VNode {
  const { keys, letters } = settings.value;
  const written = writtenAll(lettersOf(letters));
  return (
    <section class="panel keys" aria-label={t("web.play.keys")}>
      <h2 class="title">{t("web.play.keys")}</h2>
      <ul>
        {keys && <li>{t("web.play.keys.cards")}</li>}
        <li>{t("web.play.keys.ends")}</li>
        {keys && <li>{t("web.play.keys.turn", written)}</li>}
        <li>{t("web.play.keys.lock")}</li>
        <li>{keys ? t("web.play.keys.look", written) : t("web.play.keys.off")}</li>
      </ul>
      <Close close={close} />
    </section>
  );
}
