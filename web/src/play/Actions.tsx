import type { VNode } from "preact";
import { coachWords, previewSentence } from "../sentences";
import { signed, t } from "../words";
import { Icon } from "./icons";
import { type Scene, whyNoSwap } from "./scene";

/** What the choice would change, in parts for the eye; the same sentence is there for the ear. */
function PreviewLine({ scene }: { scene: Scene }): VNode {
  const { choice, option, desk, locked } = scene;
  const preview = scene.preview ?? (locked ? desk.gains.get(scene.round) : undefined);
  const advice =
    scene.level >= 3
      ? scene.place.advice.value.find((each) => each.move === option?.move)
      : undefined;
  if (preview === undefined) {
    const waiting = locked || scene.seat === null || option !== undefined;
    const hint =
      choice.kind === "start"
        ? choice.laid.length === 0
          ? t("web.play.empty.start")
          : t("web.play.another")
        : t("web.play.empty");
    return (
      <p class="preview" id="preview" data-tip="lock" tabIndex={-1}>
        <span class="why">{locked ? t("web.play.locked") : waiting ? "" : hint}</span>
      </p>
    );
  }
  return (
    <p class="preview" id="preview" data-tip="lock" tabIndex={-1}>
      <span class="hidden-text">{previewSentence(preview)}</span>
      <b class="points" aria-hidden="true">
        {signed(preview.gain)}
      </b>
      <span class="why" aria-hidden="true">
        <span class="line">
          {preview.changes.map((change) => (
            <span key={change.part}>
              <b>
                {change.words} {signed(change.gain)}
              </b>
              {change.nth !== null && ` (${change.nth})`}
              {" · "}
            </span>
          ))}
          {preview.changes.length === 0 && `${t("web.say.nothing")} · `}
          <span class="sum">{t("web.say.total", { total: preview.total })}</span>
        </span>
        {(advice !== undefined || preview.bonus !== null) && (
          <span class="line more">
            {[advice === undefined ? null : coachWords(advice), preview.bonus]
              .filter((part) => part !== null)
              .join(" · ")}
          </span>
        )}
      </span>
    </p>
  );
}

function SwapButton({ scene }: { scene: Scene }): VNode {
  const why = whyNoSwap(scene);
  const off = why !== null || !scene.desk.open.value;
  return (
    <button
      type="button"
      class="button swap"
      data-tip="swap"
      disabled={off}
      onClick={() => {
        scene.desk.question.value = "swap";
      }}
    >
      <Icon name="swap" size={22} />
      <span>
        {t("web.play.swap")}
        <small>{why ?? t("web.play.swap.keep")}</small>
      </span>
    </button>
  );
}

/** Lock in, or change: the one filled button. */
function MainButton({ scene }: { scene: Scene }): VNode {
  const { desk, place, locked } = scene;
  const sending = place.sending.value !== null;
  const keys = scene.layout.kind === "desk";
  if (scene.replaced)
    return (
      <button type="button" class="button main lock" onClick={() => desk.ask("return")}>
        {t("web.play.return")}
      </button>
    );
  if (sending)
    return (
      <button type="button" class="button main lock" aria-disabled="true">
        {place.saving.value ? t("web.play.saving") : t("web.play.sending")}
      </button>
    );
  if (locked)
    return (
      <button type="button" class="button lock" onClick={desk.reopen}>
        <Icon name="lock" size={20} />
        {t("web.play.change")}
        {keys && <kbd>Esc</kbd>}
      </button>
    );
  return (
    <button
      type="button"
      class="button main lock"
      data-tip="pulse"
      aria-disabled={scene.option === undefined || desk.inert.value}
      onClick={desk.lock}
    >
      <Icon name="lock" size={20} />
      {t("web.play.lock")}
      {keys && <kbd>Enter</kbd>}
    </button>
  );
}

/** What is asked before something that cannot be undone, in the place of the buttons. */
function Ask({ scene, leave }: { scene: Scene; leave: () => void }): VNode {
  const { desk } = scene;
  const swap = desk.question.value === "swap";
  return (
    <section class="actions asking" aria-label={t("web.play.lock")}>
      <p class="asked" role="alert">
        {swap ? t("web.play.swap.ask") : t("web.play.leave.ask")}
      </p>
      <button
        type="button"
        class="button"
        onClick={() => {
          desk.question.value = null;
        }}
      >
        {swap ? t("web.play.keep") : t("web.play.stay")}
      </button>
      <button type="button" class="button main" onClick={() => (swap ? desk.ask("swap") : leave())}>
        {swap ? t("web.play.swap") : t("web.play.leave")}
      </button>
    </section>
  );
}

/** The lowest bar: swap, what the choice changes, lock in. */
export function Actions({ scene, leave }: { scene: Scene; leave: () => void }): VNode {
  if (scene.desk.question.value !== null) return <Ask scene={scene} leave={leave} />;
  return (
    <section class="actions" aria-label={t("web.play.lock")}>
      <SwapButton scene={scene} />
      <PreviewLine scene={scene} />
      <MainButton scene={scene} />
    </section>
  );
}
