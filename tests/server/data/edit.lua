-- Opens a manifest, waits for what the server says of it, applies the first fix, and writes the file.
local function wait(what, done)
  if not vim.wait(30000, done, 20) then
    io.stderr:write('nothing came: ' .. what .. '\n')
    vim.cmd('cquit 1')
  end
end

local id = vim.lsp.start_client({ name = 'dralint', cmd = { vim.env.DRALINT, 'server' }, root_dir = vim.fn.getcwd() })
wait('a server', function() return vim.lsp.buf_attach_client(0, id) end)
wait('a diagnostic', function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)[1]
print(vim.fn.json_encode({ line = found.lnum + 1, column = found.col + 1, code = found.code, message = found.message }))

vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
local asked = vim.lsp.util.make_range_params()
asked.context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics() }
local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', asked, 30000)
local client = vim.lsp.get_client_by_id(id)
for _, answer in pairs(answers or {}) do
  for _, action in ipairs(answer.result or {}) do
    if action.kind == 'quickfix' then
      if not action.edit then
        action = client.request_sync('codeAction/resolve', action, 30000, 0).result
      end
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
      print(vim.fn.json_encode({ title = action.title }))
      break
    end
  end
end
wait('an empty list after the fix', function() return #vim.diagnostic.get(0) == 0 end)
vim.cmd('write')
vim.lsp.stop_client(id)
vim.cmd('quitall')
