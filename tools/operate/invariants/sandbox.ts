import type { Finding, SandboxRecords, Sql } from './invariants.ts'

type MailRow = { id: string; attempts: number }

/** Compares our rows about mails and payments with the sandbox's records. */
export async function sandboxFindings(sql: Sql, outside: SandboxRecords): Promise<Finding[]> {
  const copies = new Map<string, number>()
  const arrived = await outside.mails()
  for (const { id } of arrived) copies.set(id, (copies.get(id) ?? 0) + 1)
  const oldest = arrived[0]?.at ?? Number.MAX_SAFE_INTEGER
  const sent = await sql<MailRow>(
    `SELECT id, attempts FROM mails WHERE status = 'SENT' AND sent_at >= ${oldest}`,
  )
  const tries = await sql<MailRow>('SELECT id, attempts FROM mails')
  const paid = await sql<{ id: string }>(
    "SELECT id FROM payments WHERE status IN ('PAID', 'REFUNDED', 'DISPUTED') AND provider = 'stripe'",
  )
  const paidIds = new Set(paid.map(({ id }) => id))
  const charged = await outside.paidPaymentIds()
  const chargedIds = new Set(charged)
  return [
    {
      rule: 'A mail that is SENT has arrived',
      checked: sent.length,
      problems: sent.filter(({ id }) => !copies.has(id)).map(({ id }) => id),
    },
    {
      // If the response is lost, the mail may have been sent. Only then do we send a second copy.
      rule: 'No mail arrives twice unless a response was lost, and none more often than it was attempted',
      checked: copies.size,
      problems: tries
        .filter(({ id, attempts }) => (copies.get(id) ?? 0) > Math.max(1, attempts))
        .map(({ id }) => id),
    },
    {
      rule: 'Every charge is exactly one PAID payment, and every PAID payment is a charge',
      checked: charged.length,
      problems: [
        ...charged.filter((id) => !paidIds.has(id)).map((id) => `${id} is charged and not PAID`),
        ...paid.filter(({ id }) => !chargedIds.has(id)).map(({ id }) => `${id} is PAID and not charged`),
        ...charged.filter((id, at) => charged.indexOf(id) !== at).map((id) => `${id} is charged twice`),
      ],
    },
  ]
}
