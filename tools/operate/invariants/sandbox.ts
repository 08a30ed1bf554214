import type { Finding, Outside, Sql } from './invariants.ts'

type MailRow = { id: string; attempts: number }

/** What we say of the outside world, compared with what it remembers: mails and money. */
export async function sandboxFindings(sql: Sql, outside: Outside): Promise<Finding[]> {
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
  const paidHere = new Set(paid.map(({ id }) => id))
  const paidThere = await outside.paidPaymentIds()
  const there = new Set(paidThere)
  return [
    {
      rule: 'A mail that is SENT has arrived',
      checked: sent.length,
      problems: sent.filter(({ id }) => !copies.has(id)).map(({ id }) => id),
    },
    {
      // A lost answer leaves open whether the mail went: then, and only then, a second copy goes.
      rule: 'No mail arrives twice unless an answer was lost, and none oftener than it was tried',
      checked: copies.size,
      problems: tries
        .filter(({ id, attempts }) => (copies.get(id) ?? 0) > Math.max(1, attempts))
        .map(({ id }) => id),
    },
    {
      rule: 'Every charge is a payment that is PAID here, once, and every PAID payment a charge',
      checked: paidThere.length,
      problems: [
        ...paidThere.filter((id) => !paidHere.has(id)).map((id) => `${id} is charged and not PAID`),
        ...paid.filter(({ id }) => !there.has(id)).map(({ id }) => `${id} is PAID and not charged`),
        ...paidThere.filter((id, at) => paidThere.indexOf(id) !== at).map((id) => `${id} is charged twice`),
      ],
    },
  ]
}
