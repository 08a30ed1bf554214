import type { Document, Operation } from './openapi.ts'
import type { JsonSchema } from './json-schema.ts'

const SCHEMAS = '#/components/schemas/'
const RESPONSES = '#/components/responses/'

type Call = { method: string; path: string; operation: Operation }

/** The document as a page to read: HTML without a script. `style` and `icon` are the addresses of its files. */
export function referencePage(document: Document, { style, icon }: { style: string; icon: string }): string {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
  const groups = document.tags.map(({ name }) => ({
    name,
    calls: calls.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const { info, components } = document
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(info.title)}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
</head>
<body>
<header>
<p><a href="/">${text(info.title.split(':')[0] ?? '')}</a></p>
<h1>API reference</h1>
<p>Version ${text(info.version)}. The same for programs: <a href="/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
${paragraphs(info.description)}
</header>
<nav aria-label="Calls">
<h2 id="calls">Calls</h2>
${groups.map(({ name, calls: some }) => `<h3>${text(name)}</h3>\n<ul>${some.map(entry).join('')}</ul>`).join('\n')}
<p><a href="#types">Types</a>, <a href="#signing-in">who may call</a>, <a href="#failures">failures</a></p>
</nav>
<main>
${groups.map(({ name, calls: some }) => `<h2>${text(name)}</h2>\n${some.map(callSection).join('\n')}`).join('\n')}
<h2 id="signing-in">Who may call</h2>
<dl>${Object.entries(components.securitySchemes).map(schemeEntry).join('')}</dl>
<h2 id="failures">Failures</h2>
<dl>${Object.entries(components.responses)
    .filter(([name]) => name !== 'Failed')
    .map(([name, { description }]) => `<dt>${name.replace('Failed', '')}</dt><dd>${inline(description)}</dd>`)
    .join('')}</dl>
<h2 id="types">Types</h2>
${Object.entries(components.schemas).map(typeSection).join('\n')}
</main>
</body>
</html>
`
}

function entry({ method, path, operation }: Call): string {
  return `<li><a href="#${operation.operationId}"><b>${method}</b> ${address(path)}</a></li>`
}

function callSection({ method, path, operation }: Call): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const fields = parameters.map(({ name, in: place, required, schema, description: words }): Field => ({
    name,
    note: `${place}${required ? '' : ', optional'}`,
    schema: words ? { ...schema, description: words } : schema,
  }))
  return `<section aria-labelledby="${operationId}">
<h3 id="${operationId}">${text(summary)}</h3>
<p class="call"><b>${method}</b> ${address(path)}</p>
${paragraphs(description)}
${fields.length > 0 ? `<h4>Parameters</h4>${fieldList(fields)}` : ''}
${requestBody ? `<h4>Body</h4>${Object.entries(requestBody.content).map(contentBlock).join('')}` : ''}
<h4>Answers</h4>
<dl>${Object.entries(responses).map(answerEntry).join('')}</dl>
</section>`
}

function answerEntry([status, answer]: [string, Operation['responses'][string]]): string {
  if ('$ref' in answer) {
    const name = answer.$ref.slice(RESPONSES.length)
    const words = name === 'Failed' ? 'It failed.' : 'Refused.'
    return status === 'default' ? '' : `<dt>${status}</dt><dd>${words} <a href="#failures">Codes</a></dd>`
  }
  const contents = Object.entries(answer.content ?? {})
  const isJson = contents.length === 1 && contents[0]?.[0] === 'application/json'
  const types = contents.map(([type]) => `<code>${type}</code>`).join(', ')
  const body = isJson ? shape(contents[0]?.[1].schema ?? {}) : types
  const headers = Object.entries(answer.headers ?? {}).map(([name, header]): Field => ({
    name,
    note: 'header',
    schema: header as JsonSchema,
  }))
  return `<dt>${status}</dt><dd>${contents.length > 0 ? body : text(answer.description)}${headers.length > 0 ? fieldList(headers) : ''}</dd>`
}

function contentBlock([type, { schema }]: [string, { schema: JsonSchema }]): string {
  return `<p><code>${type}</code></p>${shape(schema)}`
}

function typeSection([name, schema]: [string, JsonSchema]): string {
  return `<section aria-labelledby="type-${name}"><h3 id="type-${name}">${name}</h3>
${paragraphs(schema.description ?? '')}${shape(schema)}</section>`
}

function schemeEntry([name, { description = '', in: place, name: key }]: [
  string,
  Record<string, string>,
]): string {
  return `<dt>${name}</dt><dd>${inline(description)} (${place} <code>${key}</code>)</dd>`
}

type Field = { name: string; note: string; schema: JsonSchema }

/** The fields of an object, else the type in words. */
function shape(schema: JsonSchema): string {
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) return `<p>${typeOf(schema)}</p>`
  const required = new Set(schema.required ?? [])
  return fieldList(
    properties.map(([name, field]) => ({ name, note: required.has(name) ? '' : 'optional', schema: field })),
  )
}

function fieldList(fields: Field[]): string {
  const rows = fields.map(({ name, note, schema }) => {
    const words = schema.description ?? ''
    const after = note === '' ? '' : `, ${note}`
    return `<dt><code>${text(name)}</code> ${typeOf(schema)}${after}</dt>${words === '' ? '' : `<dd>${inline(words)}</dd>`}`
  })
  return `<dl>${rows.join('')}</dl>`
}

/** A type in a few words, with links to the types that it names. */
function typeOf(schema: JsonSchema): string {
  const reference = schema.$ref
  if (typeof reference === 'string') {
    const name = reference.slice(SCHEMAS.length)
    return `<a href="#type-${name}">${name}</a>`
  }
  if (schema.enum) return schema.enum.map((one) => `<code>${text(one)}</code>`).join(' | ')
  if ('const' in schema) return `<code>${text(String(schema.const))}</code>`
  const variants = schema.anyOf ?? schema.allOf
  if (Array.isArray(variants)) return variants.map((one) => typeOf(one)).join(' | ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  if (schema.type === 'object') return objectOf(schema)
  const name = schema.contentMediaType ? 'bytes' : [schema.type ?? 'anything'].flat().join(' | ')
  return `${text(name)}${boundsOf(schema)}`
}

function objectOf(schema: JsonSchema): string {
  const names = Object.keys(schema.properties ?? {})
  if (names.length > 0) return `{ ${names.map((name) => text(name)).join(', ')} }`
  const values = schema.additionalProperties
  return typeof values === 'object' ? `{ name: ${typeOf(values)} }` : 'object'
}

function boundsOf({ minLength, maxLength, minimum, maximum }: JsonSchema): string {
  const [from, to] = [minLength ?? minimum, maxLength ?? maximum]
  if (from === undefined && to === undefined) return ''
  return `, ${from === undefined ? 'up to' : `${String(from)} to`} ${to === undefined ? '…' : to.toLocaleString('en')}`
}

/** An address that may break at its slashes: on a phone it has no room in one line. */
function address(path: string): string {
  return `<code>${text(path).replaceAll('/', '<wbr>/')}</code>`
}

function paragraphs(words: string): string {
  const parts = words.split('\n\n').filter((part) => part !== '')
  return parts.map((part) => `<p>${inline(part)}</p>`).join('\n')
}

/** Text in which `this` is code. */
function inline(words: string): string {
  return text(words).replace(/`([^`]+)`/gu, '<code>$1</code>')
}

function text(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
