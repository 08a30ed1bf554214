/** Keys that open something, by the shapes that their makers publish; what the sandbox uses is shorter. */
const SHAPES = [
  // Stripe: https://docs.stripe.com/keys
  /\b[sr]k_(?:live|test)_[A-Za-z0-9]{20,}/gu,
  /\bwhsec_[A-Za-z0-9+/]{20,}/gu,
  // AWS and R2 access keys, GitHub tokens.
  /\bAKIA[0-9A-Z]{16}\b/gu,
  /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,})/gu,
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/gu,
]

/** What looks like a secret in this text, one line each: where, and its first characters. */
export function secretsIn(name: string, text: string): string[] {
  return SHAPES.flatMap((shape) =>
    [...text.matchAll(shape)].map(([found]) => `${name}: ${found.slice(0, 12)}…`),
  )
}
