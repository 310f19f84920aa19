import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";

export interface Choice<T> {
  value: T;
  label: string;
  /** Why it cannot be chosen. */
  reason?: string | undefined;
  lang?: string;
}

interface Choices<T> {
  legend: string;
  note?: string;
  /** The legend is read out only. */
  quiet?: boolean;
  /** The choices stand side by side as one control. */
  joined?: boolean;
  value: T;
  choices: Choice<T>[];
  onChoose: (value: T) => void;
}

/** One of several, as a row of real radio buttons. */
export function OneOf<T extends string | number | boolean | null>(props: Choices<T>): VNode {
  const name = useId();
  return (
    <fieldset class={props.joined ? "one-of joined" : "one-of"}>
      <legend class={props.quiet ? "hidden-text" : "one-of-legend"}>{props.legend}</legend>
      {props.note !== undefined && <p class="note">{props.note}</p>}
      <div class="one-of-choices">
        {props.choices.map(({ value, label, reason, lang }) => (
          <label
            key={String(value)}
            class={value === props.value ? "chip chosen" : "chip"}
            lang={lang}
          >
            <input
              type="radio"
              name={name}
              checked={value === props.value}
              disabled={reason !== undefined}
              onChange={() => props.onChoose(value)}
            />
            <span>{label}</span>
            {reason !== undefined && <small>{reason}</small>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface Toggle {
  label: ComponentChildren;
  on: boolean;
  onToggle: (on: boolean) => void;
}

/** On or off. */
export function Switch({ label, on, onToggle }: Toggle): VNode {
  return (
    <label class="switch">
      <span>{label}</span>
      <input
        type="checkbox"
        role="switch"
        aria-checked={on}
        checked={on}
        onChange={(event) => onToggle(event.currentTarget.checked)}
      />
    </label>
  );
}

interface Line {
  label: string;
  value: string;
  button: string;
  onInput: (value: string) => void;
  onSubmit: () => void;
  longest: number;
  autocomplete?: string;
  busy?: boolean;
  main?: boolean;
}

/** A line of text with the button that takes it. */
export function LineOfText(props: Line): VNode {
  const id = useId();
  return (
    <form
      class="text-line"
      onSubmit={(event) => {
        event.preventDefault();
        if (props.value.trim() !== "" && props.busy !== true) props.onSubmit();
      }}
    >
      <label for={id}>{props.label}</label>
      <input
        id={id}
        value={props.value}
        maxLength={props.longest}
        autocomplete={props.autocomplete ?? "off"}
        autocapitalize="words"
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <button type="submit" class={props.main ? "button main" : "button"} disabled={props.busy}>
        {props.button}
      </button>
    </form>
  );
}
