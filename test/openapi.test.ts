import { Validator } from '@seriousme/openapi-schema-validator'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { api } from '../src/shared/api.ts'
import type { Endpoint } from '../src/shared/endpoint.ts'
import { openApi, type Operation } from '../scripts/lib/openapi/openapi.ts'
import { referencePage } from '../scripts/lib/openapi/reference-page.ts'
import type { JsonSchema } from '../scripts/lib/openapi/json-schema.ts'

const document = openApi(resolve(import.meta.dirname, '../src/shared'), '0.1.0')
const calls = Object.entries(api) as [keyof typeof api, Endpoint][]

const operationOf = ({ method, path }: Endpoint) =>
  document.paths[path.replace(/:(\w+)/gu, '{$1}')]?.[method.toLowerCase()] as Operation
const jsonOf = (content: Record<string, { schema: JsonSchema }> | undefined) =>
  content?.['application/json']?.schema

test('the document of the API is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect(errors ?? []).toEqual([])
  expect([valid, document.openapi]).toEqual([true, '3.1.1'])
})

test('every call of the contract stands in the document once, under its own name, and nothing besides', () => {
  const told = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`,
    ),
  )
  const contract = calls.map(
    ([name, { method, path }]) => `${name}: ${method} ${path.replace(/:(\w+)/gu, '{$1}')}`,
  )
  expect(told.toSorted()).toEqual(contract.toSorted())
})

test('the fields of each body and of each query are those that the schema of the call reads', () => {
  const fieldsOf = (schema: z.core.$ZodType | undefined) =>
    schema ? Object.keys((schema as z.ZodMiniObject).shape).toSorted() : null
  const told = calls.map(([name, endpoint]) => {
    const { requestBody, parameters } = operationOf(endpoint)
    const body = endpoint.body && jsonOf(requestBody?.content)?.properties
    const query = parameters
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => parameter.name)
    return [name, body ? Object.keys(body).toSorted() : null, endpoint.query ? query.toSorted() : null]
  })
  expect(told).toEqual(calls.map(([name, { body, query }]) => [name, fieldsOf(body), fieldsOf(query)]))
})

test('a text as long as the document says is taken, and one that is longer by a letter is not', () => {
  const wrong: string[] = []
  let seen = 0
  for (const [name, endpoint] of calls) {
    const shape = endpoint.body ? (endpoint.body as z.ZodMiniObject).shape : {}
    const told = jsonOf(operationOf(endpoint).requestBody?.content)?.properties ?? {}
    for (const [field, schema] of Object.entries(shape)) {
      const most = maxLengthOf(told[field] ?? {})
      if (most === undefined) continue
      seen++
      const takes = (length: number) => z.safeParse(schema, 'a'.repeat(length)).success
      if (!takes(most) || takes(most + 1)) wrong.push(`${name}.${field}: ${most}`)
    }
  }
  expect(wrong).toEqual([])
  expect(seen).toBeGreaterThan(20)
})

function maxLengthOf(schema: JsonSchema): number | undefined {
  const variants = [schema, ...(schema.anyOf ?? [])]
  return variants.map((variant) => variant.maxLength).find((length) => typeof length === 'number')
}

test('every call says what it answers: a body with a shape, a file with a type, or nothing', () => {
  const vague = calls.filter(([, endpoint]) => {
    const answer = operationOf(endpoint).responses[endpoint.status]
    if (!answer || '$ref' in answer) return true
    const isShapeless = Object.keys(jsonOf(answer.content) ?? { none: true }).length === 0
    const isFile = Object.keys(answer.content ?? {}).some((type) => type !== 'application/json')
    return isShapeless && !isFile
  })
  // A file of JSON whose shape is that of all our tables.
  expect(vague.map(([name]) => name)).toEqual(['exportAccount'])
})

test('the page about the API needs no script, has a place for each call and type, and no link on it leads nowhere', () => {
  const html = referencePage(document, { style: '/style.css', icon: '/icon.svg' })
  const ids = [...html.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id)
  const links = [...html.matchAll(/ href="#([^"]+)"/gu)].map(([, id]) => id)
  const types = Object.keys(document.components.schemas).map((name) => `type-${name}`)
  expect(ids).toEqual(expect.arrayContaining([...Object.keys(api), ...types]))
  expect(new Set(ids).size).toBe(ids.length)
  expect([...new Set(links)].filter((id) => !ids.includes(id))).toEqual([])
  expect(html).not.toMatch(/<script|\son\w+=|javascript:|undefined|\[object/u)
})
