import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseSync } from 'vite'
import type { JsonSchema } from './json-schema.ts'

type Program = ReturnType<typeof parseSync>['program']
type Statement = Program['body'][number]
type TsType = Extract<Statement, { type: 'TSTypeAliasDeclaration' }>['typeAnnotation']
type TypeReference = Extract<TsType, { type: 'TSTypeReference' }>
type TypeLiteral = Extract<TsType, { type: 'TSTypeLiteral' }>
type Expression = Extract<Statement, { type: 'ExpressionStatement' }>['expression']
type ObjectExpression = Extract<Expression, { type: 'ObjectExpression' }>
type ObjectSchema = { properties: Record<string, JsonSchema>; required: string[] }

/** What the source of the contract says that is gone when it runs: the types of answers, and the words beside them. */
export type Contract = {
  /** What each call answers, by its name in `api`. */
  answers: Map<string, { schema: JsonSchema; description: string }>
  /** The words above the fields that each call reads, by the name of the call, then of the field. */
  fieldWords: Map<string, Record<string, string>>
  /** The types that answers name, and those that these name. */
  schemas: () => Record<string, JsonSchema>
  /** The schema of a type by its name. */
  schemaNamed: (name: string) => JsonSchema
}

/**
 * Reads `folder` (`src/shared`): of `api.ts` the type of each answer, of all files the types. Throws for a type that it
 * has no JSON Schema for: the contract says what goes over the wire in plain types.
 */
export function readContract(folder: string): Contract {
  const source = new Source()
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.ts') && !name.endsWith('.test.ts'))
      source.add(name, readFileSync(resolve(folder, name), 'utf8'))
  }
  const answers: Contract['answers'] = new Map()
  const fieldWords: Contract['fieldWords'] = new Map()
  for (const { name, type, start, reads } of source.calls()) {
    answers.set(name, { schema: source.schemaOf(type), description: source.wordsAt(start) })
    fieldWords.set(
      name,
      Object.assign({}, ...reads.map((schema) => source.wordsOfFields(schema))) as object as Record<
        string,
        string
      >,
    )
  }
  return {
    answers,
    fieldWords,
    schemas: () => source.named(),
    schemaNamed: (name) => source.reference(name),
  }
}

class Source {
  readonly #types = new Map<string, { type: TsType; file: string; start: number }>()
  readonly #constants = new Map<string, { value: Expression; file: string }>()
  /** Doc comments by file and by where what they speak of begins. */
  readonly #words = new Map<string, string>()
  readonly #named = new Map<string, JsonSchema>()
  #file = ''

  add(file: string, text: string): void {
    const { program, comments, errors } = parseSync(file, text)
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
    for (const { type, value, end } of comments) {
      if (type !== 'Block' || !value.startsWith('*')) continue
      const start = end + text.slice(end).search(/\S/u)
      this.#words.set(`${file}:${start}`, toWords(value))
    }
    for (const statement of program.body) this.#addStatement(file, statement)
  }

  #addStatement(file: string, statement: Statement): void {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type === 'TSTypeAliasDeclaration') {
      // Generic ones are for the compiler alone.
      if (declared.typeParameters) return
      const known = this.#types.get(declared.id.name)
      if (known) throw new Error(`${file} and ${known.file} both have a type ${declared.id.name}`)
      this.#types.set(declared.id.name, { type: declared.typeAnnotation, file, start: statement.start })
    }
    if (declared?.type === 'VariableDeclaration') {
      for (const { id, init } of declared.declarations) {
        if (id.type === 'Identifier' && init) this.#constants.set(id.name, { value: bare(init), file })
      }
    }
  }

  /** The calls of `api`, each with the type argument that says what it answers, and the names of the schemas it reads by. */
  calls(): { name: string; type: TsType; start: number; reads: string[] }[] {
    this.#file = 'api.ts'
    const table = this.#constants.get('api')?.value
    if (table?.type !== 'ObjectExpression') throw new Error('api.ts has no table of calls')
    return table.properties.map((property) => {
      if (property.type !== 'Property' || property.key.type !== 'Identifier')
        throw new Error('A call has no plain name')
      const call = property.value
      const type = call.type === 'CallExpression' ? call.typeArguments?.params[0] : undefined
      if (!type) throw new Error(`${property.key.name} does not say what it answers`)
      return { name: property.key.name, type, start: property.start, reads: schemasOf(call) }
    })
  }

  /** The words above the fields of `const schema = z.object({…})`. */
  wordsOfFields(schema: string): Record<string, string> {
    const found = this.#constants.get(schema)
    const fields = found && fieldsIn(found.value)
    if (!fields) return {}
    return this.#inFile(found.file, () =>
      Object.fromEntries(
        fields.properties.flatMap((field) => {
          if (field.type !== 'Property' || field.key.type !== 'Identifier') return []
          const words = this.wordsAt(field.start)
          return words === '' ? [] : [[field.key.name, words]]
        }),
      ),
    )
  }

  wordsAt(start: number): string {
    return this.#words.get(`${this.#file}:${start}`) ?? ''
  }

  /** All that was asked for by {@link reference}, in the order of the alphabet. */
  named(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  reference(name: string): JsonSchema {
    const found = this.#types.get(name)
    if (!found) throw new Error(`There is no type ${name}`)
    if (!this.#named.has(name)) {
      // Stands there first, so that a type may name itself.
      this.#named.set(name, {})
      const schema = this.#inFile(found.file, () =>
        withWords(this.schemaOf(found.type), this.wordsAt(found.start)),
      )
      this.#named.set(name, schema)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  #inFile<T>(file: string, work: () => T): T {
    const before = this.#file
    this.#file = file
    try {
      return work()
    } finally {
      this.#file = before
    }
  }

  schemaOf(type: TsType): JsonSchema {
    // eslint-disable-next-line typescript/switch-exhaustiveness-check -- the rest of TypeScript does not go over the wire
    switch (type.type) {
      case 'TSStringKeyword':
        return { type: 'string' }
      case 'TSNumberKeyword':
        return { type: 'number' }
      case 'TSBooleanKeyword':
        return { type: 'boolean' }
      case 'TSNullKeyword':
        return { type: 'null' }
      case 'TSUnknownKeyword':
      case 'TSNeverKeyword':
        return {}
      case 'TSLiteralType':
        return { const: literal(type.literal) }
      case 'TSParenthesizedType':
        return this.schemaOf(type.typeAnnotation)
      case 'TSArrayType':
        return { type: 'array', items: this.schemaOf(type.elementType) }
      case 'TSUnionType':
        return union(type.types.map((one) => this.schemaOf(one)))
      case 'TSIntersectionType':
      case 'TSTypeLiteral':
        return toSchema(this.#objectOf(type))
      case 'TSIndexedAccessType':
        return { type: 'string', enum: this.#elementsOf(type) }
      case 'TSTypeOperator':
        return type.operator === 'keyof'
          ? { type: 'string', enum: this.#keysOf(type.typeAnnotation) }
          : this.schemaOf(type.typeAnnotation)
      case 'TSTypeReference':
        return this.#schemaOfReference(type)
      default:
        throw new Error(`${this.#file}: no JSON Schema for a ${type.type} of the contract`)
    }
  }

  #schemaOfReference(type: TypeReference): JsonSchema {
    const [first, second] = type.typeArguments?.params ?? []
    switch (nameOf(type)) {
      case 'Pick':
      case 'Omit':
      case 'Partial':
        return toSchema(this.#objectOf(type))
      case 'Record': {
        if (!first || !second) throw new Error('Record<key, value>')
        const keys = this.#resolved(this.schemaOf(first))
        const values = this.schemaOf(second)
        if (!Array.isArray(keys.enum)) return { type: 'object', additionalProperties: values }
        const names = keys.enum
        return toSchema({
          properties: Object.fromEntries(names.map((name) => [name, values])),
          required: names,
        })
      }
      default:
        return this.reference(nameOf(type))
    }
  }

  #objectOf(type: TsType): ObjectSchema {
    if (type.type === 'TSTypeLiteral') return this.#literalObject(type)
    if (type.type === 'TSIntersectionType') {
      const parts = type.types.map((one) => this.#objectOf(one))
      return {
        properties: Object.assign(
          {},
          ...parts.map(({ properties }) => properties),
        ) as ObjectSchema['properties'],
        required: parts.flatMap(({ required }) => required),
      }
    }
    if (type.type !== 'TSTypeReference') throw new Error(`${this.#file}: a ${type.type} is no object`)
    const [from, names] = type.typeArguments?.params ?? []
    if (!from) {
      const found = this.#types.get(nameOf(type))
      if (!found) throw new Error(`There is no type ${nameOf(type)}`)
      return this.#inFile(found.file, () => this.#objectOf(found.type))
    }
    const { properties, required } = this.#objectOf(from)
    if (nameOf(type) === 'Partial') return { properties, required: [] }
    if (!names) throw new Error(`${nameOf(type)} names no properties`)
    const named = new Set(namesIn(this.schemaOf(names)))
    const stays = (name: string) => named.has(name) === (nameOf(type) === 'Pick')
    return {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => stays(name))),
      required: required.filter(stays),
    }
  }

  #literalObject({ members }: TypeLiteral): ObjectSchema {
    const object: ObjectSchema = { properties: {}, required: [] }
    for (const member of members) {
      if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier' || !member.typeAnnotation)
        throw new Error(`${this.#file}: a ${member.type} is no plain property`)
      const { name } = member.key
      const schema = this.schemaOf(member.typeAnnotation.typeAnnotation)
      object.properties[name] = withWords(schema, this.wordsAt(member.start))
      if (!member.optional) object.required.push(name)
    }
    return object
  }

  /** `(typeof KINDS)[number]` */
  #elementsOf({ objectType }: Extract<TsType, { type: 'TSIndexedAccessType' }>): string[] {
    const asked = objectType.type === 'TSParenthesizedType' ? objectType.typeAnnotation : objectType
    const list = this.#constants.get(constantOf(asked))?.value
    if (list?.type !== 'ArrayExpression') throw new Error(`${this.#file}: no list behind (typeof …)[number]`)
    return list.elements.map((element) => String(literal(element)))
  }

  /** `keyof typeof TABLE` */
  #keysOf(type: TsType): string[] {
    const table = this.#constants.get(constantOf(type))?.value
    if (table?.type !== 'ObjectExpression') throw new Error(`${this.#file}: no table behind keyof typeof …`)
    return table.properties.map((property) => {
      if (property.type !== 'Property' || property.key.type !== 'Identifier') throw new Error('No plain key')
      return property.key.name
    })
  }

  #resolved(schema: JsonSchema): JsonSchema {
    const name = (schema.$ref ?? '').slice('#/components/schemas/'.length)
    return this.#named.get(name) ?? schema
  }
}

/** `endpoint('GET', path, {query: schema})<Answer>()`: the names of the schemas. */
function schemasOf(call: Expression): string[] {
  const made = call.type === 'CallExpression' ? call.callee : null
  const options = made?.type === 'CallExpression' ? made.arguments[2] : undefined
  if (options?.type !== 'ObjectExpression') return []
  return options.properties.flatMap((option) =>
    option.type === 'Property' && option.value.type === 'Identifier' ? [option.value.name] : [],
  )
}

/** The fields of an object's schema, whatever is called on it or stands around it. */
function fieldsIn(expression: Expression): ObjectExpression | null {
  if (expression.type === 'ObjectExpression') return expression
  if (expression.type !== 'CallExpression') return null
  const { callee } = expression
  const inner =
    callee.type === 'MemberExpression' && callee.object.type === 'CallExpression' ? callee.object : null
  const first = expression.arguments[0]
  return (inner && fieldsIn(inner)) ?? (first && first.type !== 'SpreadElement' ? fieldsIn(first) : null)
}

function toSchema({ properties, required }: ObjectSchema): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

function union(schemas: JsonSchema[]): JsonSchema {
  const constants = schemas.map((schema) => schema.const)
  if (constants.every((value) => typeof value === 'string')) return { type: 'string', enum: constants }
  const [first, second] = schemas
  const isPlain = Object.keys(first ?? {}).length === 1 && typeof first?.type === 'string'
  if (schemas.length === 2 && second?.type === 'null' && isPlain)
    return { type: [String(first.type), 'null'] }
  return { anyOf: schemas }
}

function namesIn(schema: JsonSchema): string[] {
  const names = schema.enum ?? [schema.const]
  return names.map(String)
}

function withWords(schema: JsonSchema, words: string): JsonSchema {
  return words === '' ? schema : { ...schema, description: words }
}

/** A doc comment as running text. */
function toWords(comment: string): string {
  return comment
    .replace(/^\s*\*+ ?/gmu, '')
    .replace(/\{@link ([^}]+)\}/gu, '$1')
    .replace(/\s+/gu, ' ')
    .trim()
}

function nameOf({ typeName }: TypeReference): string {
  if (typeName.type !== 'Identifier') throw new Error('A type of the contract has a plain name')
  return typeName.name
}

function constantOf(type: TsType): string {
  if (type.type !== 'TSTypeQuery' || type.exprName.type !== 'Identifier')
    throw new Error('The contract asks for the type of something that is no plain constant')
  return type.exprName.name
}

function bare(expression: Expression): Expression {
  return expression.type === 'TSAsExpression' || expression.type === 'TSSatisfiesExpression'
    ? bare(expression.expression)
    : expression
}

function literal(node: { type: string } | null): unknown {
  if (node === null || !('value' in node))
    throw new Error('The contract has something that is no plain value')
  return node.value
}
