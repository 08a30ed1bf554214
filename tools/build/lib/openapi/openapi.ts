import * as z from 'zod/mini'
import { api } from '../../../../src/shared/api.ts'
import type { Endpoint } from '../../../../src/shared/endpoint.ts'
import { ERROR_STATUS } from '../../../../src/shared/errors.ts'
import { JSON_BODY_MAX_BYTES } from '../../../../src/shared/limits.ts'
import { SITE_NAME } from '../../../../src/shared/site-name.ts'
import { ACCESS, ANSWERS, CALLS, GIVES, READS, SENDS, type JsonSchema, type Name } from './calls.ts'
import { readContractSource, type CallSource } from './contract-source.ts'

type Content = Record<string, { schema: JsonSchema }>
type Response = { $ref?: string; description?: string; content?: Content; headers?: object }

const TEXT = { type: 'string' }

const DESCRIPTION = `All calls of ${SITE_NAME}: those that its own pages make.

Bodies are JSON in camelCase unless a call says otherwise, at most ${JSON_BODY_MAX_BYTES / 1024} KiB. Ids are opaque. Instants are ISO 8601 in UTC, \`dateOfBirth\` and \`dateOfDeath\` calendar dates: the first of the month or year if \`…Precision\` says that only that is known (\`1931-01-01\` with \`ABOUT\`: about 1931). Unknown fields are dropped. Lengths count Unicode code points.

Every call but GET that shows a cookie must come from this site. A browser says so by itself; another program sends \`Origin\` with the address of this service.

A call that fails answers \`{message, code, fields?, requestId?}\`; \`code\` is one of a closed list, \`message\` is written for people. Lists are pages: \`nextCursor\` of one goes into \`cursor\` of the next, and is null at the end.`

const key = (place: string, name: string, description: string) =>
  ({ type: 'apiKey', in: place, name, description }) as const
const SECURITY_SCHEMES = {
  session: key('cookie', '__Host-session', 'Set by `login`. On plain-http localhost its name is `session`.'),
  contributor: key(
    'header',
    'X-Contributor-Token',
    'The `authToken` of `createContributorSession`, for its own memorial. A browser has it as a cookie.',
  ),
  invitation: key('query', 'invite', 'The token of an invitation link: whoever holds it may look.'),
  stripe: key('header', 'Stripe-Signature', 'Made by Stripe with the secret of the webhook.'),
}

/** The OpenAPI 3.1 document of all calls in the contract. */
export function openApi(version: string) {
  const { calls, schemas } = readContractSource()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const name of Object.keys(api) as Name[]) {
    const path = api[name].path.replace(/:(\w+)/gu, '{$1}')
    paths[path] = { ...paths[path], [api[name].method.toLowerCase()]: operationOf(name, calls[name]) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: `${SITE_NAME}: API`,
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(Object.values(CALLS).map(({ noun }) => noun))].map((name) => ({ name })),
    paths,
    components: { schemas, responses: failures(), securitySchemes: SECURITY_SCHEMES },
  }
}

export type Operation = ReturnType<typeof operationOf>

function operationOf(name: Name, source: CallSource) {
  const { path, body, query, status, maxBodyBytes }: Endpoint = api[name]
  const { noun, who } = CALLS[name]
  const [access, ...schemes] = ACCESS[who]
  const input = body ? { 'application/json': inputSchema(body, source) } : SENDS[name]
  const fields: JsonSchema = query ? inputSchema(query, source) : {}
  const output = GIVES[name]?.map((type) => [type, {}]) ?? [['application/json', source.response]]
  const bodyLimit = maxBodyBytes ? `The body may have ${maxBodyBytes / 1024} KiB.` : ''
  const isEmpty = source.response.type === 'null'
  const success: Response = {
    description: isEmpty ? 'Done; no body.' : 'Done.',
    ...(!isEmpty && { content: contentOf(Object.fromEntries(output) as Record<string, JsonSchema>) }),
    ...(ANSWERS[name] && {
      headers: mapValues(ANSWERS[name], (description) => ({ description, schema: TEXT })),
    }),
  }
  const failed = [
    ...((input ?? query) ? [400] : []),
    ...(['anyone', 'viewer', 'provider'].includes(who) ? [] : [401]),
    ...(['anyone', 'account', 'provider'].includes(who) ? [] : [403]),
    ...(path.includes(':') ? [404] : []),
    ...(input ? [413] : []),
    429,
    500,
  ].map((code) => [code, { $ref: `#/components/responses/Failed${code}` }])
  const responses: Record<string, Response> = {
    [status]: success,
    ...(Object.fromEntries(failed) as object),
    default: { $ref: '#/components/responses/Failed' },
  }
  return {
    operationId: name,
    // `fieldName` -> `Field name`
    summary: name.replace(/^\w/u, (a) => a.toUpperCase()).replace(/\B[A-Z]/gu, (a) => ` ${a.toLowerCase()}`),
    description: [source.description, bodyLimit, `For: ${access}`].filter(Boolean).join('\n\n'),
    tags: [noun],
    security: schemes.map((scheme) => (scheme === '' ? {} : { [scheme]: [] })),
    parameters: [
      ...[...path.matchAll(/:(\w+)/gu)].map(([, part = '']) => parameter('path', part, {})),
      ...Object.entries(fields.properties ?? {}).map(([field, schema]) =>
        parameter('query', field, { schema, required: fields.required?.includes(field) ?? false }),
      ),
      ...Object.entries(READS[name] ?? {}).map(([header, description]) =>
        parameter('header', header.replace('?', ''), { description, required: !header.endsWith('?') }),
      ),
    ],
    ...(input && { requestBody: { required: true, content: contentOf(input) } }),
    responses,
  }
}

type Parameter = { required?: boolean; schema?: JsonSchema; description?: string }
function parameter(place: 'path' | 'query' | 'header', name: string, rest: Parameter) {
  return { name, in: place, required: true, schema: TEXT as JsonSchema, ...rest }
}

function mapValues<A, B>(values: Record<string, A>, convert: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value)]))
}

const contentOf = (types: Record<string, JsonSchema>) => mapValues(types, (schema) => ({ schema }))

/** The Worker's input schema as JSON Schema. A check written as a function has its limit in `params`. */
function inputSchema(schema: z.core.$ZodType, source: CallSource): JsonSchema {
  const { $schema: _, ...input } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema: { _zod: internals }, jsonSchema }) => {
      for (const { _zod: check } of internals.def.checks ?? [])
        if ('params' in check.def) Object.assign(jsonSchema, check.def.params)
    },
  }) as JsonSchema
  for (const [name, field] of Object.entries(input.properties ?? {})) {
    const doc = source.fields[name]
    if (doc) field.description = doc
  }
  return input
}

/** Error responses: one for each status with its error codes, and `Failed` for any status. */
function failures(): Record<string, Response> {
  const ErrorBody = { $ref: '#/components/schemas/ErrorBody' }
  const all: Record<string, Response> = {
    Failed: {
      description: 'It failed; `code` says why.',
      content: contentOf({ 'application/json': ErrorBody }),
    },
  }
  for (const [status, entries] of Map.groupBy(Object.entries(ERROR_STATUS), ([, code]) => code)) {
    const names = entries.map(([name]) => name)
    const schema = { allOf: [ErrorBody, { properties: { code: { enum: names } } }] }
    all[`Failed${status}`] = {
      description: `Refused: ${names.map((code) => `\`${code}\``).join(', ')}.`,
      content: contentOf({ 'application/json': schema }),
      ...(status === 429 && {
        headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
      }),
    }
  }
  return all
}
