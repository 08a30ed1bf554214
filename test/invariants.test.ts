import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { DATABASE_RULES, FLAG_PAID_TWICE } from '../tools/operate/invariants/database-rules.ts'
import { checkInvariants, problemsOf, type State } from '../tools/operate/invariants/invariants.ts'
import { HOUR_MS, RECORDS_KEPT_MS } from '../src/shared/limits.ts'

const CHECK_DATA = resolve(import.meta.dirname, '../tools/operate/check-data.ts')
const MIGRATIONS = resolve(import.meta.dirname, '../migrations')
const NOW = Date.parse('2026-11-21T08:00:00Z')
const PHOTO = 'm/mem_a/med_a'

/** A valid memorial: paid for, shared, with a contributor, a photo, a comment and a service. */
const WELL = `
  INSERT INTO users (id, email, first_name, last_name, password_hash, email_verified_at, terms_accepted_at, created_at, updated_at)
    VALUES ('usr_a', 'a@family.test', 'Rudo', 'Moyo', 'x', 1, 1, 1, 1), ('usr_b', 'b@family.test', 'Tariro', 'Moyo', 'x', 1, 1, 1, 1);
  INSERT INTO memorials (id, owner_id, slug, honouree_full_name, status, privacy, cover_media_id, created_at, updated_at)
    VALUES ('mem_a', 'usr_a', 'tendai-aaaaaa', 'Tendai', 'ACTIVE', 'INVITE', 'med_a', 1, 1),
           ('mem_b', 'usr_b', 'chipo-bbbbbb', 'Chipo', 'DRAFT', 'PRIVATE', NULL, 1, 1);
  INSERT INTO payments (id, user_id, memorial_id, target_memorial_id, status, provider, amount, currency, idempotency_key, paid_at, created_at, updated_at)
    VALUES ('pay_a', 'usr_a', 'mem_a', 'mem_a', 'PAID', 'stripe', 6000, 'usd', 'k', ${NOW}, 1, 1);
  INSERT INTO mails (id, kind, recipient, subject_id, status, attempts, sent_at, created_at)
    VALUES ('mail_a', 'receipt', 'a@family.test', 'pay_a', 'SENT', 1, ${NOW}, ${NOW});
  INSERT INTO invite_tokens (token, status, memorial_id, assigned_at, created_at)
    VALUES ('tok_a', 'ASSIGNED', 'mem_a', 1, 1), ('tok_free', 'AVAILABLE', NULL, NULL, 1), ('tok_k', 'KEEPERS', 'mem_a', 1, 1);
  INSERT INTO contributors (id, memorial_id, invite_token, display_name, is_guest, expires_at, created_at)
    VALUES ('con_a', 'mem_a', 'tok_a', 'Farai', 0, 9e12, 1);
  INSERT INTO contributors (id, memorial_id, invite_token, display_name, is_guest, expires_at, created_at)
    VALUES ('con_k', 'mem_a', 'tok_k', 'Tariro Moyo', 0, 1, 1);
  INSERT INTO keepers (contributor_id, memorial_id, user_id, role, created_at) VALUES ('con_k', 'mem_a', 'usr_b', 'KEEPER', 1);
  INSERT INTO let_in_requests VALUES ('let_a', 'mem_a', 'Rudo', 'Her niece', 'rudo@family.test', NULL, NULL, 'x', ${NOW});
  INSERT INTO successors VALUES ('suc_a', 'mem_a', 'Rudo Moyo', 'rudo@family.test', 1);
  INSERT INTO successions (memorial_id, after_months, said_at, next_at, created_at) VALUES ('mem_a', 12, 1, 2, 1);
  INSERT INTO media (id, memorial_id, contributor_id, type, mime_type, size, original_file_name, object_key, has_thumbnail, created_at)
    VALUES ('med_a', 'mem_a', 'con_a', 'IMAGE', 'image/jpeg', 10, 'a.jpg', '${PHOTO}', 1, 1);
  INSERT INTO comments (id, memorial_id, body, author_contributor_id, like_count, created_at)
    VALUES ('com_a', 'mem_a', 'She sang.', 'con_a', 1, 1);
  INSERT INTO comment_likes VALUES ('com_a', 'usr_a', 1);
  INSERT INTO funeral_events (id, memorial_id, position, date_time, time_zone, programme_key, programme_name, programme_size, people_coming, created_at, updated_at)
    VALUES ('fun_a', 'mem_a', 1, 1, 'Africa/Harare', 'm/mem_a/file_a', 'a.pdf', 20, 3, 1, 1);
  INSERT INTO replies (id, event_id, answer, people, name, device_hash, knows, created_at, updated_at)
    VALUES ('rpl_a', 'fun_a', 'COMING', 3, 'Farai', 'x', '{}', 1, 1), ('rpl_b', 'fun_a', 'SORRY', 2, 'Chipo', 'x', '{}', 1, 1);`

const REMOVED = `'com_b', 'mem_a', NULL, 'usr_a', 0, NULL, 0, 0, 0, '{}', '[]',`

function databaseAfter(change: string): DatabaseSync {
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  for (const name of readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()) {
    db.exec(readFileSync(resolve(MIGRATIONS, name), 'utf8'))
  }
  // Break rules that an index would enforce too: the check must not depend on the index.
  db.exec('DROP INDEX payments_memorial; DROP INDEX memorials_slug; DROP INDEX invite_tokens_live')
  db.exec(WELL)
  db.exec(change)
  return db
}

function stateAfter(change: string, more: Partial<State> = {}): State {
  const db = databaseAfter(change)
  const at = NOW - 24 * HOUR_MS
  return {
    now: NOW,
    sql: async <T>(query: string) => db.prepare(query).all() as T[],
    all: async (queries) => queries.map((query) => db.prepare(query).all()),
    objects: async () => [
      { key: PHOTO, size: 10, uploadedAt: at },
      { key: `${PHOTO}/w320.webp`, size: 1, uploadedAt: at },
      { key: `${PHOTO}/w1920.webp`, size: 1, uploadedAt: at },
      { key: 'm/mem_a/file_a', size: 20, uploadedAt: at },
    ],
    quota: async (id) => (id === 'mem_a' ? [LINE] : null),
    outside: { mails: async () => [{ id: 'mail_a', at: NOW }], paidPaymentIds: async () => ['pay_a'] },
    ...more,
  }
}

const LINE = {
  mediaId: 'med_a',
  type: 'IMAGE',
  contributorId: 'con_a',
  bytes: 10,
  durationSec: 0,
  expiresAt: null,
  lease: null,
}

test('a valid state has no problem, and every rule checked something', async () => {
  const findings = await checkInvariants(stateAfter(''))
  expect(problemsOf(findings)).toEqual([])
  expect(findings.length).toBeGreaterThan(DATABASE_RULES.length)
})

/** Somebody who paid for a memorial to come, and then for the draft that waited. */
const PAID_TWICE = `INSERT INTO payments (id, user_id, target_memorial_id, status, provider, amount, currency, idempotency_key, paid_at, created_at, updated_at)
  VALUES ('pay_twice', 'usr_a', NULL, 'PAID', 'stripe', 6000, 'usd', 'l', ${NOW - 1}, 1, 1)`

test('people who paid twice are put on the refund list, and only they', async () => {
  const db = databaseAfter(PAID_TWICE)
  // These have paid for something to come, for something that they can still use it for, or are flagged already.
  db.exec(`${PAID_TWICE.replace('pay_twice', 'pay_next').replace(String(NOW - 1), String(NOW + 1))};
    ${PAID_TWICE.replace('pay_twice', 'pay_draft').replace('usr_a', 'usr_b')};
    ${PAID_TWICE.replace('pay_twice', 'pay_flagged')};
    UPDATE payments SET refund_reason = 'refund_failed' WHERE id = 'pay_flagged'`)
  expect(db.prepare(FLAG_PAID_TWICE).all()).toEqual([{ id: 'pay_twice' }])
  expect(db.prepare(FLAG_PAID_TWICE).all()).toEqual([])
  expect(db.prepare(`SELECT id FROM payments WHERE refund_reason = 'memorial_already_paid'`).all()).toEqual([
    { id: 'pay_twice' },
  ])
})

test('check:data --flag-refunds names them, and then finds nothing wrong', () => {
  const state = mkdtempSync(join(tmpdir(), 'nhaka-check-'))
  mkdirSync(join(state, 'miniflare-D1DatabaseObject'))
  const db = databaseAfter(
    `${PAID_TWICE}; INSERT INTO mails SELECT 'mail_b', kind, recipient, 'pay_twice', status, attempts, last_error,
       claimed_until, sent_at, created_at, priority FROM mails;
     DELETE FROM media; DELETE FROM replies; DELETE FROM funeral_events; UPDATE memorials SET cover_media_id = NULL`,
  )
  db.exec(`VACUUM INTO '${join(state, 'miniflare-D1DatabaseObject', 'a.sqlite')}'`)
  const check = (...args: string[]) => {
    const options = { encoding: 'utf8', env: { ...process.env, NHAKA_STATE: state } } as const
    return spawnSync(process.execPath, [CHECK_DATA, ...args], options)
  }
  const { status, stdout } = check('--flag-refunds')
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^Put on the refund list: pay_twice\.$/mu)])
  expect(check('--flag-all').status).toBe(2)
  rmSync(state, { recursive: true })
})

const copy = (table: string, id: string, change: Record<string, string>) =>
  `CREATE TEMP TABLE copied AS SELECT * FROM ${table} WHERE rowid = (SELECT rowid FROM ${table} LIMIT 1);
   UPDATE copied SET ${Object.entries({ [id]: `'copy'`, ...change })
     .map(([name, value]) => `${name} = ${value}`)
     .join(', ')};
   INSERT INTO ${table} SELECT * FROM copied`

/** A change to the database -> the problem that the check must name. */
const broken: [change: string, problem: string][] = [
  [`UPDATE payments SET user_id = 'usr_b'`, 'A payment has paid for a memorial of its payer'],
  [
    `UPDATE payments SET status = 'PENDING', paid_at = NULL`,
    'A payment has paid for a memorial of its payer',
  ],
  [`UPDATE payments SET memorial_id = NULL`, 'Paid money is in its memorial'],
  [PAID_TWICE, 'Nobody paid for a draft while a payment of theirs waited'],
  [copy('payments', 'id', {}), 'A memorial has at most one payment: mem_a'],
  [
    `INSERT INTO orders (id, user_id, amount, currency, created_at, settled_at) VALUES ('ord_a', 'usr_a', 6000, 'usd', 1, 1);
     UPDATE payments SET order_id = 'ord_a';
     INSERT INTO gifts (id, order_id, code, created_at) VALUES ('gif_a', 'ord_a', 'code', 1)`,
    'The payments of a gift belong to whoever redeemed it',
  ],
  [`UPDATE payments SET paid_at = NULL`, 'The time of payment'],
  [`UPDATE memorials SET status = 'DRAFT' WHERE id = 'mem_a'`, 'A memorial is ACTIVE exactly'],
  [`UPDATE memorials SET status = 'ACTIVE' WHERE id = 'mem_b'`, 'A memorial is ACTIVE exactly'],
  [
    `UPDATE memorials SET privacy = 'INVITE' WHERE id = 'mem_b'`,
    'Only a memorial that is paid for is shared',
  ],
  [`UPDATE memorials SET privacy = 'LOCKED' WHERE id = 'mem_a'`, 'lockedAt is set exactly while LOCKED'],
  [`UPDATE memorials SET locked_at = 1 WHERE id = 'mem_a'`, 'lockedAt is set exactly while LOCKED'],
  [`UPDATE memorials SET deleted_at = 1 WHERE id = 'mem_a'`, 'deletedAt is set exactly while DELETED'],
  [`UPDATE memorials SET slug = 'same'`, 'A slug belongs to one memorial, and is not retired: same'],
  [`INSERT INTO retired_slugs VALUES ('tendai-aaaaaa')`, 'A slug belongs to one memorial'],
  [
    [1, 2, 3]
      .map(
        (at) => `INSERT INTO memorials (id, owner_id, slug, honouree_full_name, created_at, updated_at)
          VALUES ('mem_${at}', 'usr_b', 'slug-${at}', 'x', 1, 1)`,
      )
      .join(';'),
    'Nobody has more than 3 unpaid drafts: usr_b',
  ],
  [
    Array.from(
      { length: 11 },
      (
        _,
        at,
      ) => `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
        VALUES ('pky_${at}', 'usr_a', 'c${at}', 'k', 0, '[]', 'Phone', 1)`,
    ).join(';'),
    'Nobody has more than 10 passkeys, and only confirmed accounts have any: usr_a',
  ],
  [
    `INSERT INTO printed_codes (user_id, code_hash, created_at) VALUES ('usr_a', 'x', 1)`,
    'An account has 10 printed codes that were made together, or none: usr_a',
  ],
  [`UPDATE memorials SET profile_media_id = 'med_a' WHERE id = 'mem_b'`, 'Cover and portrait'],
  [`UPDATE invite_tokens SET status = 'ASSIGNED'`, 'An invitation is AVAILABLE and has no memorial'],
  [`UPDATE invite_tokens SET status = 'ASSIGNED', memorial_id = 'mem_a', assigned_at = 1`, 'links of mem_a'],
  [
    `UPDATE invite_tokens SET memorial_id = 'mem_b' WHERE token = 'tok_a'`,
    'A contributor used an invitation',
  ],
  [`UPDATE media SET memorial_id = 'mem_b'`, 'Contributions are in the memorial'],
  [`UPDATE keepers SET user_id = 'usr_a'`, 'Who looks after a memorial adds there under their own name'],
  [
    `INSERT INTO handovers (id, memorial_id, from_user_id, to_user_id, may_export, expires_at, created_at)
       VALUES ('hov_a', 'mem_a', 'usr_a', 'usr_c', 0, 9e15, 1)`,
    'An offer to hand a memorial over is to a keeper of it, and who can take one back is a keeper of it: hov_a',
  ],
  [
    `UPDATE memorials SET take_back_until = 9e15 WHERE id = 'mem_a'`,
    'An offer to hand a memorial over is to a keeper of it, and who can take one back is a keeper of it: mem_a',
  ],
  [
    `UPDATE keepers SET contributor_id = 'con_x'`,
    'Who looks after a memorial adds there under their own name',
  ],
  [
    `UPDATE let_in_requests SET decision = 'LET_IN', contributor_id = 'con_x'`,
    'Exactly who was let in is a contributor of that memorial',
  ],
  [`UPDATE let_in_requests SET contributor_id = 'con_a'`, 'not for long: let_a'],
  [`UPDATE let_in_requests SET created_at = 1`, 'not for long: let_a'],
  [
    `INSERT INTO let_in_requests SELECT 'let_' || value, memorial_id, name, relation, value, NULL, NULL, value, created_at
       FROM let_in_requests, json_each('[${Array.from({ length: 100 }, (_, at) => at).join()}]')`,
    'at most 100 others wait there, not for long: mem_a',
  ],
  [`DELETE FROM successors`, 'a memorial with one has a succession'],
  [`DELETE FROM successions`, 'a memorial with one has a succession'],
  [`UPDATE successions SET mails_sent = 1`, 'Successors are asked for in steps'],
  [`UPDATE successions SET next_at = NULL`, 'Successors are asked for in steps'],
  [`UPDATE contributors SET is_guest = 1`, 'Contributions are in the memorial'],
  [`UPDATE comments SET like_count = 2`, 'A comment has one author, and its like count'],
  [`UPDATE comments SET author_user_id = 'usr_a'`, 'A comment has one author'],
  [`UPDATE funeral_events SET programme_name = NULL`, 'a programme is complete or absent: fun_a'],
  [`UPDATE funeral_events SET kind = 'NYARADZO'`, 'at most 4 services and 8 later gatherings, and'],
  [
    `DROP INDEX funeral_events_position; ${Array.from(
      { length: 4 },
      (_, n) =>
        `INSERT INTO funeral_events (id, memorial_id, position, date_time, time_zone, created_at, updated_at)
         VALUES ('fun_${n}', 'mem_a', ${n + 1}, 1, 'UTC', 1, 1)`,
    ).join(';')}`,
    'a programme is complete or absent: mem_a',
  ],
  [`UPDATE funeral_events SET people_coming = 5`, 'exactly the people who say that they come: fun_a'],
  [`UPDATE replies SET answer = 'SORRY'`, 'exactly the people who say that they come: fun_a'],
  [`UPDATE replies SET people = 0 WHERE id = 'rpl_b'`, 'A reply names 1 to 20 people: rpl_b'],
  [
    `${copy('media', 'id', { type: "'VIDEO'" })}; UPDATE copied SET id = 'second'; INSERT INTO media SELECT * FROM copied`,
    'No contributor and no memorial has more media than allowed: con_a VIDEO',
  ],
  [`UPDATE media SET size = 21 * 1024 * 1024 * 1024`, 'more media than allowed: mem_a bytes'],
  [`DELETE FROM mails`, 'A payment that became PAID has exactly one receipt: pay_a'],
  [copy('mails', 'id', {}), 'A payment that became PAID has exactly one receipt: pay_a'],
  [
    `INSERT INTO contact_messages (id, email, subject, message, created_at)
     VALUES ('msg_a', 'x@y.test', 's', 'm', ${NOW})`,
    'Every event that sends a mail has its mail: msg_a',
  ],
  [
    `UPDATE memorials SET status = 'DELETED', deleted_at = 1 WHERE id = 'mem_a'`,
    'Every event that sends a mail has its mail: mem_a',
  ],
  [
    `UPDATE users SET email_verified_at = NULL WHERE id = 'usr_b'`,
    'Every event that sends a mail has its mail: usr_b',
  ],
  [
    `UPDATE mails SET status = 'QUEUED', attempts = 0, claimed_until = NULL, created_at = ${NOW - HOUR_MS}`,
    'No mail is stuck',
  ],
  [
    `INSERT INTO registrations (id, user_id, first_name, last_name, token_hash, mail_id, expires_at, created_at)
     VALUES ('reg_a', 'usr_a', 'R', 'M', 'x', 'mail_a', ${NOW}, ${NOW})`,
    'An address has at most 5 open registrations, and a confirmed one has none: usr_a',
  ],
  [
    `INSERT INTO followers (id, memorial_id, email, wants_news, wants_birthday, wants_passing, confirmed_at, news_since, told_since, look_at, created_at)
       VALUES ('fol_a', 'mem_a', 'a@family.test', 1, 0, 0, 1, 1, 1, ${NOW - 3 * 24 * HOUR_MS}, 1)`,
    'Cron looks at a follower who has confirmed, and at no other, within two days; an invitation is of the same memorial: fol_a',
  ],
  [
    `INSERT INTO object_deletions VALUES ('m/mem_a/med_x', ${NOW - 2 * HOUR_MS})`,
    'Pending object deletions and cache purges',
  ],
  [
    `INSERT INTO cache_purges (tag, is_urgent, asked_at) VALUES ('memorial-x', 1, ${NOW - 2 * HOUR_MS})`,
    'Pending object deletions and cache purges',
  ],
  [
    `INSERT INTO removed_items VALUES (${REMOVED} ${NOW - 40 * 24 * HOUR_MS}, null)`,
    'What was removed is nowhere else, is deleted for good in time, and is not too much of one contributor: com_b',
  ],
  [
    `INSERT INTO removed_items VALUES (${REMOVED.replace('com_b', 'med_a')} ${NOW}, null)`,
    'contributor: med_a',
  ],
  [`DELETE FROM users WHERE id = 'usr_b'`, 'Every foreign key points to a row: memorials row'],
  [`UPDATE media SET size = 11`, 'with the size in its row: med_a m/mem_a/med_a has 10 bytes of 11'],
  [`UPDATE funeral_events SET programme_key = 'm/mem_a/file_b'`, 'has no bytes of 20'],
  [`UPDATE media SET object_key = 'm/mem_a/med_b'`, 'Every image has its thumbnail'],
  [`DELETE FROM media`, 'No object survives the sweep without a row or a pending deletion: m/mem_a/med_a'],
  [`DELETE FROM media`, 'A quota counts exactly the media that exist or can be restored: mem_a counts med_a'],
  [copy('media', 'id', {}), 'mem_a does not count copy IMAGE'],
  [`UPDATE mails SET id = 'mail_b'`, 'A mail that is SENT has arrived: mail_b'],
  [`UPDATE payments SET id = 'pay_b'`, 'pay_a is charged and not PAID'],
  [`UPDATE payments SET id = 'pay_b'`, 'pay_b is PAID and not charged'],
]

test.each(broken.map(([change, problem]) => ({ change, problem })))(
  'the check reports "$problem"',
  async ({ change, problem }) => {
    expect(problemsOf(await checkInvariants(stateAfter(change)))).toContainEqual(
      expect.stringContaining(problem),
    )
  },
)

test('what is older than we keep sent mails has at most one mail, and may have none', async () => {
  const old = NOW - RECORDS_KEPT_MS
  const aged = `UPDATE payments SET paid_at = ${old};
    INSERT INTO contact_messages (id, email, subject, message, created_at) VALUES ('msg_a', 'x@y.test', 's', 'm', ${old})`
  const receipts = 'A payment that became PAID has exactly one receipt'
  const found = async (change: string) => problemsOf(await checkInvariants(stateAfter(change)))
  const gone = await found(`${aged}; DELETE FROM mails`)
  expect(gone.filter((problem) => /receipt|Every event/u.test(problem))).toEqual([])
  expect((await found(`${aged}; ${copy('mails', 'id', {})}`)).join()).toContain(receipts)
})

test('missing bytes, a reservation without upload and a mail sent twice are problems', async () => {
  const sent = { id: 'mail_a', at: NOW }
  const found = problemsOf(
    await checkInvariants(
      stateAfter('', {
        objects: async () => [
          { key: PHOTO, size: -1, uploadedAt: NOW },
          { key: 'marks/1795248000000', size: 0, uploadedAt: NOW },
        ],
        quota: async () => [LINE, { ...LINE, mediaId: 'med_x', expiresAt: NOW - 1, lease: 'resumable' }],
        outside: { mails: async () => [sent, sent], paidPaymentIds: async () => ['pay_a', 'pay_a'] },
      }),
    ),
  )
  for (const problem of [
    'med_a m/mem_a/med_a has -1 bytes of 10',
    'Quota is reserved only for uploads that can still finish: mem_a med_x',
    'No mail arrives twice unless a response was lost, and none more often than it was attempted: mail_a',
    'pay_a is charged twice',
    'it is not older than the files: marks/1795248000000',
  ]) {
    expect(found).toContainEqual(expect.stringContaining(problem))
  }
})
