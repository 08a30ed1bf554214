/** Fills the `:name` segments of a path with the values of these names, escaped. */
export function fillPath(path: string, values: Record<string, string>): string {
  return path.replaceAll(/:([a-zA-Z]+)/gu, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}
