import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Scene } from "../play/scene";
import { countOf } from "../sentences";
import { note, type Step } from "./seen";
import { Tips } from "./Tips";

const BONUS_FROM = 3;
/** The last round in which the swap card is new to somebody. */
const SWAP_UNTIL = 3;

/** The tips whose time has come in a game, in order. */
export function stepsOf(scene: Scene): Step[] {
  const { choice, round, view, points, preview, locked } = scene;
  if (scene.seat === null || scene.replaced) return [];
  const several = view.boards.length > 1;
  if (round === 0) {
    if (locked || choice.kind !== "start") return [];
    if (choice.laid.length < 2) return ["objectives", "hand"];
    return preview !== undefined && preview.gain > 0 ? ["match", "lock"] : ["lock"];
  }
  // While something is chosen, its points are what counts: nothing may lie over them.
  const idle = choice.kind === "place" && choice.card === null && !locked;
  const steps: Step[] = several && idle ? ["pass"] : [];
  if (idle && view.options.some((option) => option.move === "swap")) steps.push("swap");
  if (several && points !== undefined && countOf(points, "row", view.objectives) >= BONUS_FROM)
    steps.push("bonus");
  return steps;
}

/** What was done needs no tip any more. */
export function doneIn(scene: Scene): Step[] {
  const { choice, round, locked, view, seat } = scene;
  if (seat === null) return [];
  const done: Step[] = [];
  const laid = choice.kind === "start" ? choice.laid.length : 2;
  if (laid === 2 || round > 0) done.push("objectives", "hand");
  if (locked || round > 0) done.push("match", "lock");
  if (round > 1) done.push("pass");
  if (round > SWAP_UNTIL || view.public.swaps[seat] === false) done.push("swap");
  return done;
}

/** Tips for the first game. */
export function PlayTips({ scene }: { scene: Scene }): VNode {
  const done = doneIn(scene);
  useEffect(() => {
    if (done.length > 0) note(...done);
  }, [done.join()]);
  return <Tips steps={stepsOf(scene)} />;
}
