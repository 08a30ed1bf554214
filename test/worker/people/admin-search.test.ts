import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { AdminMemorialPage, AdminPaymentPage } from '#shared/admin/admin.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import { draftOf } from '../stripe.ts'
import { memorialOf, signedIn } from '../harness.ts'

/** Attacks on searches built by string concatenation (OWASP, Testing for SQL Injection), with this schema's tables. */
const INJECTIONS = [
  "'",
  "''",
  '"',
  '`',
  '\\',
  "\\'",
  '%',
  '_',
  '%%%',
  '[a-z]',
  '*',
  '?',
  '?1',
  ':a',
  '@a',
  '$a',
  '--',
  ';',
  "' --",
  "') --",
  "')) --",
  "' or '1'='1",
  "' or 1=1 --",
  "') or ('1'='1",
  "')) > 0 or 1=1 --",
  "x')) > 0) or 1=1 --",
  '" or ""="',
  "' or true --",
  "' || '",
  "'||(select email from users)||'",
  "' union select 1 --",
  "' union all select id, password_hash from users --",
  "') union select token from invite_tokens --",
  "'; drop table memorials; --",
  "'; update users set role = 'ADMIN'; --",
  "'); delete from audit_log; --",
  "' and (select count(*) from users) > 0 --",
  "' and randomblob(1000000000) --",
  "' and like('abcdefg', upper(hex(randomblob(500000000)))) --",
  "'/**/or/**/1=1",
  "'\tor\t1=1",
  "' or unicode(substr(sqlite_version(),1,1))>0 --",
  "' and load_extension('x') --",
  "'; attach database 'x' as y; --",
  'char(39)',
  '%27 or 1=1',
  '＇ or 1=1',
  'ʼ or 1=1',
  "\u0000' or 1=1",
  "' or 1=1\u0000",
  "1' or sleep(5)#",
  "'; exec xp_cmdshell('dir'); --",
  '{"$ne": ""}',
  '${7*7}',
  'refund',
] as const

async function rowsOf(sql: string): Promise<Record<string, string>[]> {
  return (await env.DB.prepare(sql).all<Record<string, string>>()).results
}

/** Expected matches: rows that hold the text in a searched column, literally, ignoring the case of ASCII letters. */
function holding(rows: Record<string, string>[], search: string): string[] {
  const lower = (text: string) => text.replace(/[A-Z]/gu, (letter) => letter.toLowerCase())
  return rows
    .filter((row) =>
      Object.entries(row).some(([name, place]) => name !== 'id' && lower(place).includes(lower(search))),
    )
    .map(({ id }) => id ?? '')
    .toSorted()
}

test('a search for memorials or payments matches its text literally and runs nothing', async () => {
  const admin = await signedIn({ admin: true })
  const names = [
    'O\'Brien "Gogo" 100%',
    'a_b [x] * ? \\',
    'Tendai; -- Moyo',
    '` $a :a @a ?1',
    "' or 1=1 --",
    'refund',
  ]
  for (const name of names) await memorialOf({ name })
  const memorials = await rowsOf(
    `SELECT m.id, honouree_full_name, slug, email, first_name || ' ' || last_name AS owner
     FROM memorials m JOIN users u ON u.id = m.owner_id`,
  )
  const payments = await rowsOf(
    `SELECT p.id, p.id AS own, email, honouree_full_name
     FROM payments p JOIN users u ON u.id = p.user_id JOIN memorials m ON m.id = p.memorial_id`,
  )
  const tables = ['users', 'memorials', 'payments', 'audit_log', 'invite_tokens']
  const everything = async () => Promise.all(tables.map((table) => rowsOf(`SELECT * FROM ${table}`)))
  const before = await everything()
  let found = 0
  for (const injection of INJECTIONS) {
    const query = `?search=${encodeURIComponent(injection)}`
    const some = await admin.get<AdminMemorialPage>(`/api/admin/memorials${query}`)
    const paid = await admin.get<AdminPaymentPage>(`/api/admin/payments${query}`)
    // Control characters are refused, and spaces at either end are trimmed.
    const isText = !/[\t\0]/u.test(injection)
    const text = injection.trim()
    expect([injection, some.status, paid.status]).toEqual(
      isText ? [injection, 200, 200] : [injection, 400, 400],
    )
    const ids = (rows?: { id: string }[]) => rows?.map(({ id }) => id).toSorted()
    expect([injection, ids(some.body.memorials), ids(paid.body.payments)]).toEqual(
      isText
        ? [injection, holding(memorials, text), holding(payments, text)]
        : [injection, undefined, undefined],
    )
    found += some.body.memorials?.length ?? 0
  }
  expect(found).toBeGreaterThan(10)
  expect(await everything()).toEqual(before)
})

test('page numbers, cursors and ids cannot inject SQL, and a page has at most 20 rows', async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  for (let i = 0; i < 3; i++) await draftOf(owner, `Draft ${i}`)
  for (const injection of INJECTIONS.slice(0, 50)) {
    const text = encodeURIComponent(injection)
    const answers = [
      await admin.get(`/api/admin/memorials?page=${text}`),
      await admin.get(`/api/admin/audit?cursor=${text}`),
      await admin.post(`/api/admin/memorials/${text.replaceAll('.', '')}/remove`),
    ]
    expect([injection, ...answers.map(({ status }) => status)]).toEqual([injection, 400, 200, 404])
  }
  for (let i = 0; i < ADMIN_PAGE; i++) await memorialOf()
  for (const query of ['', '?pageSize=1000', '?limit=1000', '?page=1&pageSize=-1', '?search=&limit=0']) {
    for (const [list, name] of [
      ['memorials', 'memorials'],
      ['payments', 'payments'],
    ] as const) {
      const { body } = await admin.get(`/api/admin/${list}${query}`)
      expect([query, list, body[name].length, body.pageSize]).toEqual([query, list, ADMIN_PAGE, ADMIN_PAGE])
    }
  }
})
