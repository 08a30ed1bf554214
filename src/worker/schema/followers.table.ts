import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** People who asked for mails about a memorial. Nobody sees their addresses. Rows that aren't confirmed are deleted after seven days. */
export const followers = sqliteTable(
  'followers',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    email: text().notNull(),
    /** The invitation by which they saw the memorial; null for whoever saw it in public. */
    inviteToken: text('invite_token').references(() => inviteTokens.token, { onDelete: 'cascade' }),
    /** When something was added, at most once a week. */
    wantsNews: integer('wants_news', { mode: 'boolean' }).notNull(),
    wantsBirthday: integer('wants_birthday', { mode: 'boolean' }).notNull(),
    wantsPassing: integer('wants_passing', { mode: 'boolean' }).notNull(),
    /** When they pressed the button in the first mail; null before. */
    confirmedAt: integer('confirmed_at'),
    /** What was added since then is news; and what the last mail told of, or is about to tell, begins here. */
    newsSince: integer('news_since').notNull(),
    toldSince: integer('told_since').notNull(),
    /** When cron looks next whether there is something to write: in the morning, where the memorial is. Null until they confirm. */
    lookAt: integer('look_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('followers_confirmed')
      .on(t.memorialId, t.email)
      .where(sql`${t.confirmedAt} is not null`),
    index('followers_memorial').on(t.memorialId),
    index('followers_invite').on(t.inviteToken),
    index('followers_look')
      .on(t.lookAt, t.id)
      .where(sql`${t.lookAt} is not null`),
    index('followers_unconfirmed')
      .on(t.createdAt)
      .where(sql`${t.confirmedAt} is null`),
  ],
)
