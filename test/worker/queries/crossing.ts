import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Recorded } from '../runtime/intercepted-db.ts'

/** Tables with a memorial's id that stay with the accounts when memorials are spread over databases: docs/growing.md. */
const OF_ACCOUNTS = new Set(['payments'])

/** Names of the tables whose rows belong to one memorial, found by their columns, so that a new table is among them. */
export function memorialTables(modules: Record<string, unknown>[]): Set<string> {
  const tables = modules.flatMap((module) => Object.values(module)).filter((value) => is(value, SQLiteTable))
  const owned = tables.filter((table) =>
    ['memorialId', 'commentId', 'eventId'].some((name) => name in getTableColumns(table)),
  )
  return new Set(
    ['memorials', ...owned.map((table) => getTableConfig(table).name)].filter(
      (name) => !OF_ACCOUNTS.has(name),
    ),
  )
}

/** The value of a memorial's id, also inside a tag or an object's key. */
const MEMORIAL_ID = /(?:^|\W)mem_[a-z0-9]+/u
/** Finds the memorial itself. */
const BY_ADDRESS =
  /"(?:memorials"\."slug|invite_tokens"\."token|(?:keeper_invites|let_in_requests)"\."token_hash)" = \?/u
/** Finds one row of a memorial by an id that everybody else gets from the memorial. */
const BY_PART =
  /"(?:(?:media|comments|contributors|removed_items|resumable_uploads|replies|keeper_invites|handovers|followers)"\."id|replies"\."event_id|comment_likes"\."comment_id|reports"\."item_id|removed_items"\."contributor_id)" (?:= \?|in \(\?)/u

/** Statements that read or write rows of many memorials, and what becomes of them with several databases. */
const CROSSING: { of: RegExp; because: string }[] = [
  {
    of: /"(?:keepers"\."user_id|handovers"\."(?:from|to)_user_id)" = [?(]/u,
    because:
      'what an account looks after (dashboard), and handed or took over: the accounts database knows their shards',
  },
  {
    of: /"owner_id" = [?(]/u,
    because:
      'the memorials of one account (dashboard, limit of drafts, deleting an account): the accounts database knows their shards',
  },
  {
    of: /"(?:liked_by|author_user_id)" = \?/u,
    because:
      'the likes and messages of an account that is deleted, in all memorials: each shard does its part, in a job',
  },
  {
    of: /"payments"\."(?:target_)?memorial_id"|"payments"\."id" = \?/u,
    because:
      'a payment and the memorial that it pays for: first the payment, then the memorial by a job that can be repeated',
  },
  {
    of: /from "pay_links"/u,
    because:
      'a link by which somebody pays for a memorial: first the link and its order, then the memorial from its shard',
  },
  {
    of: /^select "created_at" \/ 86400000|^select (?:"status", )?(?:count\(\*\)|sum\("bytes"\)) from "\w+"(?: where .*)?(?: group by \S+)?$/u,
    because: 'the console counts: the sum over the shards',
  },
  { of: /instr\(lower\(/u, because: 'an admin searches for a part of a name: asks each shard' },
  {
    of: /^select .* from "(?:memorials|memorial_storage|audit_log|comments|reports|successions)" .*order by \S+ desc(?:, \S+ desc)? limit \?/su,
    because: 'the console lists the newest or largest of all: merges the first page of each shard',
  },
  {
    of: /value ->> 'by' from json_each/u,
    because: 'visitors whose last words are deleted for good: each shard does its part, with the words',
  },
  { of: /indexed by memorials_listed/u, because: 'the sitemap: one file for each shard' },
  {
    of: /^insert into "audit_log"/u,
    because: 'what an admin did to an account, a mail or a message: in the accounts database',
  },
  {
    of: /'AVAILABLE'/u,
    because: 'the pool of invitation links: each shard has its own',
  },
  {
    of: /draft-ending|"asking_since" is not null|"keep_replies"|"(?:expires_at|arrived_at|removed_at|decided_at|deleted_at|created_at|ended_at|tell_at|look_at|turns_at|next_at)" (?:<= \?|is null)/u,
    because: 'a cron task finds what is due: it runs once for each shard',
  },
]

/** Statements on a memorial's rows that name neither it nor one of its parts, and are not listed; and entries that match none. */
export function findCrossings({ statements }: Recorded, tables: Set<string>) {
  const used = new Set<RegExp>()
  const unlisted: string[] = []
  for (const [query, values] of statements) {
    const found = Array.from(
      query.matchAll(/\b(?:from|join|into|update)\s+"?(\w+)"?/giu),
      ([, name = '']) => name,
    )
    if (!found.some((name) => tables.has(name))) continue
    if (values.some((value) => typeof value === 'string' && MEMORIAL_ID.test(value))) continue
    if (BY_ADDRESS.test(query) || BY_PART.test(query)) continue
    const listed = CROSSING.find(({ of }) => of.test(query))
    if (listed) used.add(listed.of)
    else unlisted.push(query)
  }
  return { unlisted, unused: CROSSING.filter(({ of }) => !used.has(of)).map(({ because }) => because) }
}
