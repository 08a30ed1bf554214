import { sql } from 'drizzle-orm'
import { testCtx } from './harness.ts'

/** `table.column` of every row in the database that holds one of these texts, with the text. */
export async function findTraces(texts: string[]): Promise<string[]> {
  const { db } = testCtx()
  const all = await db.all<{ name: string }>(sql`select name from sqlite_master where type = 'table'`)
  const tables = all.filter(({ name }) => !/^(?:sqlite|_|d1)/u.test(name))
  const found: string[] = []
  for (const { name } of tables) {
    const columns = await db.all<{ name: string }>(sql`select name from pragma_table_info(${name})`)
    for (const column of columns) {
      const at = sql`${sql.identifier(name)}.${sql.identifier(column.name)}`
      const rows = await db.all<{ value: string }>(
        sql`select value from json_each(${JSON.stringify(texts)})
            where exists (select 1 from ${sql.identifier(name)} where instr(coalesce(${at}, ''), value) > 0)`,
      )
      found.push(...rows.map(({ value }) => `${name}.${column.name}: ${value}`))
    }
  }
  return found.toSorted()
}
