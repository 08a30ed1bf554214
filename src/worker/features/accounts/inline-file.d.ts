declare module '*.bin?url&inline' {
  const dataUri: string
  export default dataUri
}
