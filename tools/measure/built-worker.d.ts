/** The exports of `dist/nhaka/index.js` that `entry.ts` uses. */
declare module 'built-worker' {
  type Entrypoint = new (ctx: unknown, env: unknown) => object
  const worker: { fetch(request: Request, env: unknown, ctx: unknown): Promise<Response> }
  export default worker
  export const PublicPages: Entrypoint
  export const MemorialQuota: Entrypoint
}
