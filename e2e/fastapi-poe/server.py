"""A bot on Poe's own Python server. Prints its port; ends with its input."""

import logging
import os
import socket
import sys
import threading

import fastapi_poe as fp
import uvicorn

# It would say that this bot has no name on Poe, and repeat the report of an error.
logging.disable(logging.CRITICAL)


class Bot(fp.PoeBot):
    async def get_response(self, request):
        yield fp.MetaResponse(text="", content_type="text/markdown", suggested_replies=False)
        message = request.query[-1]
        yield fp.PartialResponse(text=f"You said: {message.content}")
        yield fp.PartialResponse(text=f" ({message.parameters})")


listener = socket.create_server(("127.0.0.1", 0))
app = fp.make_app(Bot(), access_key=os.environ["POE_ACCESS_KEY"])
server = uvicorn.Server(uvicorn.Config(app, log_level="error"))


def end_with_input():
    sys.stdin.read()
    server.should_exit = True


threading.Thread(target=end_with_input, daemon=True).start()
print(listener.getsockname()[1], flush=True)
server.run(sockets=[listener])
