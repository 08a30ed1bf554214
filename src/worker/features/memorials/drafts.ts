import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { DRAFT_EXPIRES_MS, DRAFT_NOTICES_MS } from '#shared/limits.ts'
import { isPaid } from '#worker/access/memorial-access.ts'
import { oldestCredit } from '#worker/features/payments/credits.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { locations, memorials } from '#worker/schema/memorials.table.ts'

/**
 * How long an unpaid draft stays. Its notices are the state: rows of mails since its last use. So nothing is removed without two
 * mails before, also if cron stood still, and using the draft starts the time again.
 */
const [FIRST_MS, LAST_MS] = DRAFT_NOTICES_MS

/** SQL: not paid for, and its owner has no payment that waits. */
function isUnpaidDraft(): SQL {
  return sql`(${memorials.status} = 'DRAFT' and not ${isPaid()} and not exists ${oldestCredit(memorials.ownerId)})`
}

/** SQL: when the owner last changed, added to or opened the memorial of the enclosing statement (ms). */
function lastUse(): SQL {
  const newest = (time: SQLiteColumn, memorialId: SQLiteColumn) =>
    sql`coalesce((select max(${time}) from ${time.table} where ${memorialId} = ${memorials.id}), 0)`
  return sql`max(${memorials.updatedAt}, coalesce(${memorials.seenAt}, 0),
    ${newest(media.createdAt, media.memorialId)},
    ${newest(funeralEvents.updatedAt, funeralEvents.memorialId)},
    ${newest(locations.updatedAt, locations.memorialId)})`
}

/** SQL: an aggregate of the notices about the memorial of the enclosing statement since its last use. */
function ofNotices(aggregate: SQL): SQL {
  return sql`(select ${aggregate} from ${mails} where ${mails.subjectId} = ${memorials.id}
    and ${mails.kind} = 'draft-ending' and ${mails.createdAt} >= ${lastUse()})`
}

/** SQL: when the unpaid draft of the enclosing statement is removed (ms); null before the first notice. */
export function removedOnColumn() {
  const at = ofNotices(
    sql`max(${mails.createdAt}) + case count(*) when 1 then ${FIRST_MS} else ${LAST_MS} end`,
  )
  return sql<number | null>`(${sql`case when ${isUnpaidDraft()} then ${at} end`})`
}

/**
 * SQL: a select of the unpaid drafts that match `where` and need a notice or are to be removed: `id`, `email` of the owner,
 * number of `notices`, and `since` when (ms).
 */
export function dueDrafts(now: number, where: SQL): SQL {
  const beforeFirst = DRAFT_EXPIRES_MS - FIRST_MS
  return sql`select * from (
      select ${memorials.id} as id, ${users.email} as email, ${ofNotices(sql`count(*)`)} as notices,
        coalesce(${ofNotices(sql`max(${mails.createdAt})`)}, ${lastUse()}) as since
      from ${memorials} inner join ${users} on ${users.id} = ${memorials.ownerId}
      where ${isUnpaidDraft()} and ${memorials.createdAt} <= ${now - beforeFirst} and ${where}
    ) where since <= ${now} - case notices when 0 then ${beforeFirst} when 1 then ${FIRST_MS - LAST_MS} else ${LAST_MS} end`
}
