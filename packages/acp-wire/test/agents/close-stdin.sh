# An agent that comes up, takes a prompt, and then closes its stdin while it goes on.
read -r _
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read -r _
echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read -r _
exec <&-
echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"closed"}}}}'
exec sleep 600
