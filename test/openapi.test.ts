import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { api } from '../src/shared/api.ts'
import type { Endpoint } from '../src/shared/endpoint.ts'
import type { JsonSchema } from '../tools/build/lib/openapi/calls.ts'
import { openApi, type Operation } from '../tools/build/lib/openapi/openapi.ts'

const document = openApi('0.1.0')
/** Characters. */
const LONGER_THAN_ANY_LIMIT = 2 ** 18
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

test('the document has every call of the contract once and nothing else', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`,
    ),
  )
  const contract = calls.map(
    ([name, { method, path }]) => `${name}: ${method} ${path.replace(/:(\w+)/gu, '{$1}')}`,
  )
  expect(documented.toSorted()).toEqual(contract.toSorted())
})

test("body and query fields match what the call's schema reads", () => {
  const fieldsOf = (schema: z.core.$ZodType | undefined) =>
    schema ? Object.keys((schema as z.ZodMiniObject).shape).toSorted() : null
  const documented = calls.map(([name, endpoint]) => {
    const { requestBody, parameters } = operationOf(endpoint)
    const body = endpoint.body && jsonOf(requestBody?.content)?.properties
    const query = parameters
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => parameter.name)
    return [name, body ? Object.keys(body).toSorted() : null, endpoint.query ? query.toSorted() : null]
  })
  expect(documented).toEqual(calls.map(([name, { body, query }]) => [name, fieldsOf(body), fieldsOf(query)]))
})

test('each text limit is documented and equals the one the schema enforces', () => {
  const wrong: string[] = []
  let seen = 0
  for (const [name, endpoint] of calls) {
    const shape = endpoint.body ? (endpoint.body as z.ZodMiniObject).shape : {}
    const documented = jsonOf(operationOf(endpoint).requestBody?.content)?.properties ?? {}
    for (const [field, schema] of Object.entries(shape)) {
      const [min, max] = boundsOf(documented[field] ?? {})
      const texts = (length: number) =>
        ['', 'https://a.bc/'].map((start) => start.padEnd(length, 'a').slice(0, length))
      const takes = (length: number) => texts(length).some((text) => z.safeParse(schema, text).success)
      if (max === undefined) {
        if (takes(20) && !takes(LONGER_THAN_ANY_LIMIT)) wrong.push(`${name}.${field}: no maximum`)
        continue
      }
      seen++
      if (!takes(min) || (min > 0 && takes(min - 1)) || !takes(max) || takes(max + 1))
        wrong.push(`${name}.${field}: ${min} to ${max}`)
    }
  }
  expect(wrong).toEqual([])
  expect(seen).toBeGreaterThan(20)
})

function boundsOf(schema: JsonSchema): [min: number, max?: number] {
  const variants = [schema, ...((schema.anyOf ?? []) as JsonSchema[])]
  const text = variants.find(({ maxLength }) => maxLength !== undefined)
  return text ? [Number(text.minLength ?? 0), Number(text.maxLength)] : [0]
}

test('every call documents its response: a shape, a file type, or nothing', () => {
  const vague = calls.filter(([, endpoint]) => {
    const answer = operationOf(endpoint).responses[endpoint.status]
    if (!answer?.description) return true
    const isShapeless = Object.keys(jsonOf(answer.content) ?? { none: true }).length === 0
    const isFile = Object.keys(answer.content ?? {}).some((type) => type !== 'application/json')
    return isShapeless && !isFile
  })
  // A JSON file with the shape of all tables.
  expect(vague.map(([name]) => name)).toEqual(['exportAccount'])
})
