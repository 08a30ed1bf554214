/** What a name is for, below the field where a guest gives it. */
export function NameHint() {
  return (
    <>
      <span>It appears with everything you add.</span> <span>The family may make this page public.</span>
    </>
  )
}
