import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

type Workflow = {
  permissions: Record<string, string>
  jobs: Record<string, { 'timeout-minutes'?: number; steps: { uses?: string; run?: string }[] }>
}
const { permissions, jobs } = parse(
  readFileSync(resolve(import.meta.dirname, '../.github/workflows/ci.yml'), 'utf8'),
) as Workflow
const steps = Object.values(jobs).flatMap((job) => job.steps)

test('the workflow runs .ci/run with read permission and a timeout', () => {
  expect(permissions).toEqual({ contents: 'read' })
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['bash .ci/run'])
  expect(Object.values(jobs).map((job) => typeof job['timeout-minutes'])).toEqual(['number'])
})

test('actions are pinned by commit, because a tag can be moved', () => {
  const used = steps.flatMap(({ uses }) => uses ?? [])
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((uses) => !/^[\w./-]+@[0-9a-f]{40}$/u.test(uses))).toEqual([])
})
