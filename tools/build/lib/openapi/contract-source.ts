import { resolve } from 'node:path'
import * as generator from 'ts-json-schema-generator'
import type { JsonSchema, Name } from './calls.ts'

type Checker = ReturnType<ReturnType<typeof generator.createProgram>['getTypeChecker']>
type Symbol = ReturnType<Checker['getExportsOfModule']>[number]
type Node = Parameters<generator.SchemaGenerator['createSchemaFromNodes']>[0][number]

/** What only the source of a call contains. `fields` are the doc comments of its body and query. */
export type CallSource = { response: JsonSchema; description: string; fields: Record<string, string> }

const SHARED = resolve(import.meta.dirname, '../../../../src/shared')
const CONFIG = {
  ...generator.DEFAULT_CONFIG,
  path: resolve(SHARED, '**/*.ts'),
  tsconfig: resolve(SHARED, 'tsconfig.json'),
  skipTypeCheck: true, // `tsc -b` does it.
  additionalProperties: true,
  expose: 'all',
  encodeRefs: false,
  sortProps: false,
} as const

/**
 * Reads what does not exist at run time from the source of `src/shared`: doc comments, and the response type of each call in
 * `api` as JSON Schema. `schemas` are the named types of responses, and `ErrorBody`. Throws for a type without a JSON Schema.
 */
export function readContractSource() {
  const program = generator.createProgram(CONFIG)
  const checker = program.getTypeChecker()
  const parser = generator.createParser(program, CONFIG)
  const schemas = new generator.SchemaGenerator(program, parser, generator.createFormatter(CONFIG), CONFIG)
  const definitions: Record<string, JsonSchema> = {}
  const schemaOf = (node: Node) => {
    const { $ref, definitions: named } = schemas.createSchemaFromNodes([node])
    Object.assign(definitions, named)
    return { $ref }
  }
  const exported = (file: string, name: string): Symbol => {
    const source = program.getSourceFile(resolve(SHARED, file))
    const module = source && checker.getSymbolAtLocation(source)
    const found = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name)
    if (!found) throw new Error(`${file} does not export ${name}`)
    return found
  }
  const textOf = ({ text }: { text: string }) => text
  const docOf = (symbol: Symbol) => symbol.getDocumentationComment(checker).map(textOf).join('')

  for (const declaration of exported('errors.ts', 'ErrorBody').declarations ?? []) schemaOf(declaration)
  const calls = checker.getTypeOfSymbol(exported('api.ts', 'api')).getProperties()
  const read = calls.map((call): [string, CallSource] => {
    // `name: endpoint(…)<Response>()`
    const type = lastChild(lastChild(call.valueDeclaration))
    if (!type) throw new Error(`api.ts: ${call.name} has no response type`)
    const [, body, query] = checker.getTypeOfSymbol(call).aliasTypeArguments ?? []
    const shape = query?.getProperty('shape') ?? body?.getProperty('shape')
    const fields = shape ? checker.getTypeOfSymbol(shape).getProperties() : []
    const docs = Object.fromEntries(fields.map((field) => [field.name, docOf(field)]))
    return [call.name, { response: schemaOf(type), description: docOf(call), fields: docs }]
  })

  const names = Object.keys(definitions).filter((name) => /^\w+$/u.test(name))
  const named = Object.fromEntries(names.toSorted().map((name) => [name, definitions[name]]))
  // OpenAPI allows no name like `Omit<User,"id">`, so such a type is inlined where it is used.
  const adapt = (key: string, value: unknown): unknown => {
    if (key === 'description') return plainText(String(value))
    const { $ref = '', ...rest } = (value ?? {}) as { $ref?: string }
    const name = $ref.replace('#/definitions/', '')
    if (name === '') return value
    if (!names.includes(name)) return adapt('', { ...definitions[name], ...rest })
    return { ...rest, $ref: `#/components/schemas/${name}` }
  }
  const adapted = JSON.stringify({ calls: Object.fromEntries(read), schemas: named }, adapt)
  return JSON.parse(adapted) as { calls: Record<Name, CallSource>; schemas: Record<string, JsonSchema> }
}

function lastChild(node: Node | undefined): Node | undefined {
  const children: Node[] = []
  node?.forEachChild((child) => void children.push(child))
  return children.at(-1)
}

/** A doc comment on one line, without the markup of links. */
function plainText(doc: string): string {
  const text = doc.replace(/\{\s*@link\s+([^\s}]+)\s*\}/gu, '$1').replace(/\s+/gu, ' ')
  return text.replace(/ (?=[.,;:])/gu, '').trim()
}
