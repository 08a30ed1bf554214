/** What the program is made of, by name. */
export type Parts = {
  /** Bindings of wrangler.toml without the gates by IP address: the diagram shows each. */
  bindings: string[]
  /** Gates by IP address: the text names each. */
  gates: string[]
  queues: string[]
  /** Cron expressions, each with the names of what it runs. */
  crons: Record<string, string[]>
  /** Durable Objects and entrypoints that `src/worker/index.ts` exports. */
  exports: string[]
}

const DIAGRAM = /^```mermaid\n([\s\S]*?)^```/mu
const CLASS = /^\s*class ([\w,]+) (\w+)$/gmu

/**
 * What docs/architecture.md has forgotten or still tells, one line each. In its diagram the nodes of the class `binding` are
 * called as the bindings are; queues and exports stand in it by name; the text names crons, what they run, and gates.
 */
export function architectureProblems(text: string, parts: Parts): string[] {
  const diagram = DIAGRAM.exec(text)?.[1] ?? ''
  const drawn = [...diagram.matchAll(CLASS)].flatMap(([, nodes = '', name]) =>
    name === 'binding' ? nodes.split(',') : [],
  )
  const known = new Set(parts.bindings)
  const named = (name: string) => text.includes(`\`${name}\``)
  const runs = Object.entries(parts.crons).flat(2)
  return [
    ...parts.bindings
      .filter((name) => !drawn.includes(name))
      .map((name) => `the diagram lacks the binding ${name}`),
    ...drawn.filter((name) => !known.has(name)).map((name) => `the diagram has ${name}, which is no binding`),
    ...[...parts.queues, ...parts.exports]
      .filter((name) => !diagram.includes(name))
      .map((name) => `the diagram lacks ${name}`),
    ...[...parts.gates, ...runs].filter((name) => !named(name)).map((name) => `the text lacks \`${name}\``),
    ...[...text.matchAll(/`(LIMIT_\w+)`/gu)]
      .filter(([, name = '']) => !parts.gates.includes(name))
      .map(([, name]) => `the text names ${name}, which is no gate`),
  ]
}
