import { sql } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { taskRuns } from '#worker/schema/task-runs.table.ts'

export type TaskRun = typeof taskRuns.$inferSelect

/** Records the results of one cron run; each task has one row. Never throws, because the tasks have already run. */
export async function recordTaskRuns(ctx: Ctx, runs: TaskRun[]): Promise<void> {
  if (runs.length === 0) return
  const { tookMs, isFailed, requestId, at } = taskRuns
  const set = Object.fromEntries(
    Object.entries({ tookMs, isFailed, requestId, at }).map(([key, { name }]) => [
      key,
      sql.raw(`excluded.${name}`),
    ]),
  )
  try {
    await ctx.db.insert(taskRuns).values(runs).onConflictDoUpdate({ target: taskRuns.task, set })
  } catch (error) {
    ctx.log.error('runs_not_noted', error)
  }
}
