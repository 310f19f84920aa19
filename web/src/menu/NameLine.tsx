import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { me, whoAmI } from "../identity";
import { LineOfText } from "./fields";

export const LONGEST_NAME = 24;

interface NameProps {
  label: string;
  button: string;
  main?: boolean;
  busy?: boolean;
  /** A name for somebody whom the server does not know. */
  unknown?: () => string;
  onName: (name: string) => void;
}

/** A line for the own name; the one that is known here stands there already. */
export function NameLine({ unknown, onName, ...props }: NameProps): VNode {
  const [name, setName] = useState(me.value?.name ?? "");
  useEffect(() => {
    whoAmI().then(
      (known) => setName((typed) => typed || (known?.name ?? unknown?.() ?? "")),
      () => undefined,
    );
  }, []);
  return (
    <LineOfText
      {...props}
      value={name}
      longest={LONGEST_NAME}
      autocomplete="nickname"
      onInput={setName}
      onSubmit={() => onName(name.trim())}
    />
  );
}
