declare module '@resvg/resvg-wasm/index_bg.wasm' {
  const module: WebAssembly.Module
  export default module
}
declare module '*.woff2?inline' {
  const dataUri: string
  export default dataUri
}
declare module '*.jpg?inline' {
  const dataUri: string
  export default dataUri
}
