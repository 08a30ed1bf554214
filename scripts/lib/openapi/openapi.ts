import * as z from 'zod/mini'
import { api } from '../../../src/shared/api.ts'
import type { Endpoint } from '../../../src/shared/endpoint.ts'
import { ERROR_STATUS } from '../../../src/shared/errors.ts'
import { JSON_BODY_MAX_BYTES } from '../../../src/shared/limits.ts'
import { SITE_NAME } from '../../../src/shared/site-name.ts'
import { CALLS, type Who } from './calls.ts'
import { lengthsOf } from './field-lengths.ts'
import type { JsonSchema } from './json-schema.ts'
import { readContract, type Contract } from './type-schemas.ts'

type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: JsonSchema
  description?: string
}
type Content = Record<string, { schema: JsonSchema }>
type Answer = { $ref: string } | { description: string; content?: Content; headers?: Record<string, unknown> }
export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, never[]>[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Answer>
}
/** As much of OpenAPI 3.1 as we write. */
export type Document = {
  openapi: '3.1.1'
  info: Record<string, unknown> & { title: string; version: string; description: string }
  externalDocs: { url: string; description: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, { description: string; content: Content; headers?: Record<string, unknown> }>
    securitySchemes: Record<string, Record<string, string>>
  }
}

/** Where the page stands that people read. */
export const REFERENCE_PATH = '/api-reference.html'

const ABOUT = `All calls of ${SITE_NAME}: those that its own pages make.

Bodies are JSON in camelCase unless a call says otherwise, at most ${JSON_BODY_MAX_BYTES / 1024} KiB. Ids are opaque. Instants are ISO 8601 in UTC, \`dateOfBirth\` and \`dateOfDeath\` calendar dates. Unknown fields are dropped. Lengths count Unicode code points.

Every call but GET that shows a cookie must come from this site. A browser says so by itself; another program sends \`Origin\` with the address of this service.

A call that fails answers \`{message, code, fields?, requestId?}\`; \`code\` is one of a closed list, \`message\` is written for people. Lists are pages: \`nextCursor\` of one goes into \`cursor\` of the next, and is null at the end.`

const SECURITY_SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-session',
    description: 'Set by `login`. On plain-http localhost its name is `session`.',
  },
  contributor: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Contributor-Token',
    description:
      'The `authToken` of `createContributorSession`, for its own memorial. A browser has it as a cookie.',
  },
  invitation: {
    type: 'apiKey',
    in: 'query',
    name: 'invite',
    description: 'The token of an invitation link: whoever holds it may look.',
  },
  stripe: {
    type: 'apiKey',
    in: 'header',
    name: 'Stripe-Signature',
    description: 'Made by Stripe with the secret of the webhook.',
  },
}

const SECURITY: Record<Who, (keyof typeof SECURITY_SCHEMES)[][]> = {
  anyone: [[]],
  account: [['session']],
  admin: [['session']],
  viewer: [[], ['session'], ['contributor'], ['invitation']],
  contributor: [['session'], ['contributor']],
  owner: [['session']],
  stripe: [['stripe']],
}
const WHO: Record<Who, string> = {
  anyone: 'Anyone.',
  account: 'Whoever is signed in.',
  admin: 'Admins. Behind Cloudflare Access where that is set up.',
  viewer: 'Whoever may look at the memorial: for a public one everybody.',
  contributor: 'The owner, and those who came by the invitation, each for what they may do.',
  owner: 'The owner of the memorial, and admins.',
  stripe: 'Stripe.',
}

/** The OpenAPI document of all calls, made of the contract in `folder` (`src/shared`). */
export function openApi(folder: string, version: string): Document {
  const contract = readContract(folder)
  const paths: Document['paths'] = {}
  for (const name of Object.keys(api) as (keyof typeof api)[]) {
    const path = api[name].path.replace(/:(\w+)/gu, '{$1}')
    paths[path] = { ...paths[path], [api[name].method.toLowerCase()]: operationOf(name, contract) }
  }
  contract.schemaNamed('ErrorBody')
  return {
    openapi: '3.1.1',
    info: {
      title: `${SITE_NAME}: API`,
      version,
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { url: REFERENCE_PATH, description: 'The same as a page to read' },
    servers: [{ url: '/' }],
    tags: [...new Set(Object.values(CALLS).map(({ noun }) => noun))].map((name) => ({ name })),
    paths,
    components: {
      schemas: contract.schemas(),
      responses: failures(),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function operationOf(name: keyof typeof api, contract: Contract): Operation {
  const endpoint: Endpoint = api[name]
  const { noun, who, sends } = CALLS[name]
  const body: Content | undefined = endpoint.body
    ? { 'application/json': { schema: withWords(inputSchema(endpoint.body), contract.fieldWords.get(name)) } }
    : sends && contentOf(sends)
  const words = contract.answers.get(name)?.description ?? ''
  const most = endpoint.maxBodyBytes ? `The body may have ${endpoint.maxBodyBytes / 1024} KiB.` : ''
  return {
    operationId: name,
    summary: toSummary(name),
    description: [words, most, `For: ${WHO[who]}`].filter((part) => part !== '').join('\n\n'),
    tags: [noun],
    security: SECURITY[who].map((schemes) => Object.fromEntries(schemes.map((scheme) => [scheme, []]))),
    parameters: [
      ...pathParameters(endpoint.path),
      ...queryParameters(endpoint, contract.fieldWords.get(name)),
      ...headerParameters(name),
    ],
    ...(body ? { requestBody: { required: true, content: body } } : {}),
    responses: { ...successOf(name, contract), ...failuresOf(endpoint, who, body !== undefined) },
  }
}

/** `fieldName` -> `Field name` */
function toSummary(name: string): string {
  const words = name.replace(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What may be sent, by the very schema by which the Worker reads it. */
export function inputSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.type === 'string' && jsonSchema.enum === undefined && jsonSchema.const === undefined)
        Object.assign(jsonSchema, lengthsOf(zodSchema))
    },
  })
  return rest as JsonSchema
}

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/:(\w+)/gu)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

/** The schema of an object with the words that stand above its fields in the source. */
function withWords(schema: JsonSchema, words: Record<string, string> = {}): JsonSchema {
  const fields = Object.entries(schema.properties ?? {})
  const told = fields.map(([name, field]) => [
    name,
    words[name] ? { ...field, description: words[name] } : field,
  ])
  return { ...schema, properties: Object.fromEntries(told) as Record<string, JsonSchema> }
}

function queryParameters({ query }: Endpoint, words: Record<string, string> | undefined): Parameter[] {
  if (!query) return []
  const { properties = {}, required = [] } = withWords(inputSchema(query), words) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

function headerParameters(name: keyof typeof api): Parameter[] {
  return Object.entries(CALLS[name].reads ?? {}).map(([header, description]) => ({
    name: header.replace('?', ''),
    in: 'header',
    required: !header.endsWith('?'),
    schema: { type: 'string' },
    description,
  }))
}

function contentOf(types: Record<string, JsonSchema>): Content {
  return Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]))
}

function successOf(name: keyof typeof api, contract: Contract): Record<string, Answer> {
  const { status } = api[name]
  const { gives, answers } = CALLS[name]
  const schema = contract.answers.get(name)?.schema ?? {}
  const binary = Object.fromEntries((gives ?? []).map((type) => [type, {}]))
  const content = gives ? contentOf(binary) : { 'application/json': { schema } }
  const isEmpty = !gives && schema.type === 'null'
  const headers = Object.entries(answers ?? {}).map(([header, description]): [string, unknown] => [
    header,
    { description, schema: { type: 'string' } },
  ])
  return {
    [status]: {
      description: isEmpty ? 'Done; no body.' : 'Done.',
      ...(isEmpty ? {} : { content }),
      ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
    },
  }
}

/** Those that its form alone lets happen; whatever else comes has the same shape. */
function failuresOf({ path, query }: Endpoint, who: Who, hasBody: boolean): Record<string, Answer> {
  const statuses = new Set<number>([429, 500])
  if (hasBody || query) statuses.add(400)
  if (hasBody) statuses.add(413)
  if (who !== 'anyone' && who !== 'viewer' && who !== 'stripe') statuses.add(401)
  if (who !== 'anyone' && who !== 'account' && who !== 'stripe') statuses.add(403)
  if (path.includes(':')) statuses.add(404)
  const sorted = [...statuses].toSorted((a, b) => a - b)
  return Object.fromEntries([
    ...sorted.map((status) => [String(status), { $ref: `#/components/responses/Failed${status}` }]),
    ['default', { $ref: '#/components/responses/Failed' }],
  ]) as Record<string, Answer>
}

function failures(): Document['components']['responses'] {
  const codes = Map.groupBy(Object.entries(ERROR_STATUS), ([, status]) => status)
  const ErrorBody = { $ref: '#/components/schemas/ErrorBody' }
  const retryAfter = {
    headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
  }
  const rows = [...codes].toSorted(([a], [b]) => a - b)
  return Object.fromEntries([
    [
      'Failed',
      { description: 'It failed; `code` says why.', content: { 'application/json': { schema: ErrorBody } } },
    ],
    ...rows.map(([status, entries]) => {
      const names = entries.map(([code]) => code)
      const schema = { allOf: [ErrorBody, { properties: { code: { enum: names } } }] }
      return [
        `Failed${status}`,
        {
          description: `Refused: ${names.map((code) => `\`${code}\``).join(', ')}.`,
          content: { 'application/json': { schema } },
          ...(status === 429 ? retryAfter : {}),
        },
      ]
    }),
  ]) as Document['components']['responses']
}
