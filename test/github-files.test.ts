import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

type Workflow = {
  permissions: Record<string, string>
  jobs: Record<string, { 'timeout-minutes'?: number; steps: { uses?: string; run?: string }[] }>
}

function readWorkflow(file: string): Workflow {
  return parse(readFileSync(resolve(import.meta.dirname, '../.github/workflows', file), 'utf8')) as Workflow
}

const WORKFLOWS = [
  ['ci.yml', 'bash .ci/run'],
  ['nightly.yml', 'npm run test:exhaustive'],
] as const

test.each(WORKFLOWS)('%s runs %s with read permission and a timeout', (file, command) => {
  const { permissions, jobs } = readWorkflow(file)
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  expect(permissions).toEqual({ contents: 'read' })
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual([command])
  expect(Object.values(jobs).map((job) => typeof job['timeout-minutes'])).toEqual(['number'])
})

test.each(WORKFLOWS)('%s pins actions by commit, because a tag can be moved', (file) => {
  const steps = Object.values(readWorkflow(file).jobs).flatMap((job) => job.steps)
  const used = steps.flatMap(({ uses }) => uses ?? [])
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((uses) => !/^[\w./-]+@[0-9a-f]{40}$/u.test(uses))).toEqual([])
})
