import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { boardSize, cellRect, fitPitch, type Pitch, VASE } from "../board/geometry";
import { Sideboard } from "../board/Sideboard";
import { drawers, objective, parseBoard } from "../edition";
import { marks } from "../marks";
import { t } from "../words";
import { type Cell, type Kind, marksOf } from "./result";
import { type Scene, useSize } from "./scene";
import { drawerTold } from "./tell";

const LARGEST: Pitch = { w: 80, h: 55 };
const COLUMNS = 8;
/** Below this width nothing is drawn: the page is still being laid out. */
const LEAST = 100;
const HEIGHTS = [0, 1, 2, 3, 4];
const STEPS: Record<string, Cell> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface StageProps {
  scene: Scene;
  /** Whose board is shown. */
  seat: number;
  kinds: readonly Kind[];
  /** Whether the winner may be seen yet. */
  told: boolean;
  /** Tell why a drawer counts or not; null: touched nothing. */
  onWhy: (sentence: string) => void;
}

/** A finished board, large; every drawer can be asked why it counts. */
export function Stage({ scene, seat, kinds, told, onWhy }: StageProps): VNode {
  const [ref, size] = useSize<HTMLDivElement>();
  const { view, result, names } = scene;
  const board = parseBoard(view.boards[seat] ?? "");
  const player = result.players[seat];
  const row = objective(view.objectives[2]);
  // The room of the vase is kept on all boards, so that nothing is rescaled from one to the next.
  const vase = view.mode !== "solo";
  const winner = told && result.winners.includes(seat) && view.mode !== "solo";
  const pitch = fitPitch(size.w - 16, size.h - (vase ? VASE.h : 8) - 4, LARGEST, COLUMNS);
  const whole = boardSize(pitch, COLUMNS);
  const wrongRow =
    kinds.length === 1 && kinds[0] === "row" && row.rows.length > 0
      ? (_: number, height: number) => !row.rows.includes(height)
      : undefined;
  const name = names[seat] ?? "";
  return (
    <div class="over-stage" ref={ref}>
      {size.w > LEAST && player !== undefined && (
        <div class="over-board" style={{ width: `${whole.w}px`, height: `${whole.h}px` }}>
          <Sideboard
            board={board}
            pitch={pitch}
            wide={COLUMNS}
            marks={marksOf(player, kinds)}
            winner={winner}
            {...(wrongRow === undefined ? {} : { dim: wrongRow })}
          />
          <Drawers
            label={seat === scene.own ? t("web.play.board") : t("web.play.board.of", { name })}
            columns={board.length}
            place={(cell) => cellRect(cell, board.length, pitch, COLUMNS)}
            tell={(cell) => {
              const laid = board[cell[0]];
              const drawer = laid && drawers(laid)[cell[1]];
              if (drawer === undefined) return "";
              const known = marks(view.objectives, view.boards[seat] ?? "");
              return drawerTold(player, known, row, drawer, cell, kinds);
            }}
            onWhy={onWhy}
          />
        </div>
      )}
      {seat !== scene.own && told && <p class="over-whose">{name}</p>}
    </div>
  );
}

interface DrawersProps {
  label: string;
  columns: number;
  place: (cell: Cell) => { x: number; y: number; w: number; h: number };
  tell: (cell: Cell) => string;
  onWhy: (sentence: string) => void;
}

/** All drawers as buttons over the picture: one stop of the Tab key, arrows go on from there. */
function Drawers({ label, columns, place, tell, onWhy }: DrawersProps): VNode {
  const [[column, height], setAt] = useState<Cell>([0, 0]);

  function move(event: KeyboardEvent & { currentTarget: HTMLDivElement }): void {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next: Cell = [
      Math.min(Math.max(column + step[0], 0), columns - 1),
      Math.min(Math.max(height + step[1], 0), HEIGHTS.length - 1),
    ];
    setAt(next);
    const at = event.currentTarget.querySelector<HTMLElement>(`[data-cell="${next.join(" ")}"]`);
    at?.focus();
    onWhy(tell(next));
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame of its own
    <div role="group" aria-label={label} class="over-drawers" onKeyDown={move}>
      {Array.from({ length: columns }, (_, c) =>
        HEIGHTS.map((h) => {
          const { x, y, w, h: high } = place([c, h]);
          const here = c === column && h === height;
          return (
            <button
              key={`${c} ${h}`}
              type="button"
              tabIndex={here ? 0 : -1}
              data-cell={`${c} ${h}`}
              aria-label={tell([c, h])}
              style={{ left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${high}px` }}
              onClick={() => {
                setAt([c, h]);
                onWhy(tell([c, h]));
              }}
            />
          );
        }),
      )}
    </div>
  );
}
