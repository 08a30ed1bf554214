import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): unknown => parse(readFileSync(resolve(root, path), 'utf8'))

type Workflow = {
  permissions: Record<string, string>
  jobs: Record<string, { 'timeout-minutes'?: number; steps: { uses?: string; run?: string }[] }>
}
type Form = { name: string; description: string; body: { type: string; id?: string; attributes: object }[] }
type Updates = { version: number; updates: { 'package-ecosystem': string; schedule: { interval: string } }[] }

test('the workflow runs what .ci/run runs, may only read, and ends by itself', () => {
  const { permissions, jobs } = read('.github/workflows/ci.yml') as Workflow
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  expect(permissions).toEqual({ contents: 'read' })
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['bash .ci/run'])
  expect(Object.values(jobs).map((job) => typeof job['timeout-minutes'])).toEqual(['number'])
})

test('actions of others are named by their commit: a tag can be moved', () => {
  const { jobs } = read('.github/workflows/ci.yml') as Workflow
  const used = Object.values(jobs).flatMap((job) => job.steps.flatMap(({ uses }) => uses ?? []))
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((uses) => !/^[\w./-]+@[0-9a-f]{40}$/u.test(uses))).toEqual([])
})

test('packages and actions are looked at every week', () => {
  const { version, updates } = read('.github/dependabot.yml') as Updates
  expect(version).toBe(2)
  expect(updates.map((one) => [one['package-ecosystem'], one.schedule.interval])).toEqual([
    ['npm', 'weekly'],
    ['github-actions', 'weekly'],
  ])
})

test('whoever opens an issue is told first that a hole goes elsewhere, and no field is asked twice', () => {
  const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }).filter(
    (path) => !path.endsWith('config.yml'),
  )
  expect(forms).toHaveLength(2)
  for (const path of forms) {
    const { name, description, body } = read(path) as Form
    expect([typeof name, typeof description, body[0]?.type]).toEqual(['string', 'string', 'markdown'])
    expect(JSON.stringify(body[0]?.attributes)).toContain('SECURITY.md')
    const ids = body.slice(1).map(({ id }) => id)
    expect(ids).not.toContain(undefined)
    expect(new Set(ids).size).toBe(ids.length)
  }
})
