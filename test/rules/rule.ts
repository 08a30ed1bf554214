/** A change to one file of the product; `from` stands in it exactly once. */
export type Edit = { file: string; from: string; to: string }

/** A test, named `file › title`, and the edits that take out what it proves: with them it must fail. */
export type Proof = { test: string; takenOut: Edit[] }

/**
 * A rule of the threat model (docs/threat-model.md): what could be done to people, and what holds against it.
 * `deviation` stands where the product decides otherwise, and says why.
 */
export type Rule = {
  /** `A7`; a letter for the field (accounts, memorials, contributors, uploads, payments, web, faults) and a number. */
  id: string
  threat: string
  rule: string
} & ({ proofs: Proof[]; deviation?: string } | { proofs?: never; deviation: string })
