/** Published formats of real keys. The sandbox's keys are shorter. */
const SHAPES = [
  // Stripe: https://docs.stripe.com/keys
  /\b[sr]k_(?:live|test)_[A-Za-z0-9]{20,}/gu,
  /\bwhsec_[A-Za-z0-9+/]{20,}/gu,
  // AWS and R2 access keys, GitHub tokens.
  /\bAKIA[0-9A-Z]{16}\b/gu,
  /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,})/gu,
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/gu,
]

/** Possible secrets in a text, one line each: the file's name and the first characters. */
export function secretsIn(name: string, text: string): string[] {
  return SHAPES.flatMap((shape) =>
    [...text.matchAll(shape)].map(([found]) => `${name}: ${found.slice(0, 12)}…`),
  )
}
