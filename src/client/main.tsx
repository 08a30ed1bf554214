import { openApp } from '#client/open-app.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root')
openApp(root)
