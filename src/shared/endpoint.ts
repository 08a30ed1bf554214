import type * as z from 'zod/mini'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
type Schema = z.core.$ZodType
type In<S> = S extends Schema ? z.input<S> : undefined
type Out<S> = S extends Schema ? z.output<S> : undefined

/** The `:id` segments of a path, as an object of strings. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown

/** One API call: the Worker implements it with `route()`, the client calls it with `call()`, in the same types. */
export type Endpoint<
  Path extends string = string,
  Body extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Output = unknown,
> = {
  readonly method: Method
  readonly path: Path
  readonly body: Body
  readonly query: Query
  /** Status of a successful answer. */
  readonly status: 200 | 201 | 204
  /** Largest JSON body in bytes, if it differs from the default. */
  readonly maxBodyBytes?: number
  /** Never set: only carries the type. */
  readonly output?: Output
}

export type BodyInput<E> = E extends Endpoint<string, infer B> ? In<B> : never
export type BodyOutput<E> = E extends Endpoint<string, infer B> ? Out<B> : never
export type QueryInput<E> = E extends Endpoint<string, Schema | undefined, infer Q> ? In<Q> : never
export type QueryOutput<E> = E extends Endpoint<string, Schema | undefined, infer Q> ? Out<Q> : never
export type OutputOf<E> =
  E extends Endpoint<string, Schema | undefined, Schema | undefined, infer O> ? O : never
export type ParamsOf<E> = E extends Endpoint<infer P> ? PathParams<P> : never

type Options<B extends Schema | undefined, Q extends Schema | undefined> = {
  body?: B
  query?: Q
  status?: 200 | 201 | 204
  maxBodyBytes?: number
}

/** `endpoint('POST', '/api/x/:id', {body})<Output>()`: TypeScript infers all type arguments of a call or none. */
export function endpoint<
  const Path extends string,
  B extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
>(method: Method, path: Path, options: Options<B, Q> = {}) {
  return <Output>(): Endpoint<Path, B, Q, Output> => ({
    method,
    path,
    body: options.body as B,
    query: options.query as Q,
    status: options.status ?? 200,
    ...(options.maxBodyBytes === undefined ? {} : { maxBodyBytes: options.maxBodyBytes }),
  })
}
