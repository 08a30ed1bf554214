import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const contactMessages = sqliteTable(
  'contact_messages',
  {
    id: text().primaryKey(),
    email: text().notNull(),
    subject: text().notNull(),
    message: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('contact_messages_created').on(t.createdAt, t.id),
    index('contact_messages_email').on(t.email),
  ],
)
