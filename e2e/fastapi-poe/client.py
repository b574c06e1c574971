"""Drives bots with Poe's own Python client: one JSON command per line in, one JSON line with what it saw out."""

import asyncio
import contextlib
import io
import json
import logging
import sys

import fastapi_poe as fp
import httpx
from fastapi_poe.client import PROTOCOL_VERSION, _BotContext, sync_bot_settings

# It complains of how the library's own generators end when a response is closed.
logging.getLogger("asyncio").setLevel(logging.CRITICAL)


def request_of(command):
    """A whole request, or the messages of one without any id, as `get_bot_response` sends it."""
    ids = command.get("ids", {})
    return fp.QueryRequest(
        version=PROTOCOL_VERSION,
        type="query",
        query=[fp.ProtocolMessage(**message) for message in command["messages"]],
        user_id=ids.get("user", ""),
        conversation_id=ids.get("conversation", ""),
        message_id=ids.get("request", ""),
        **command.get("fields", {}),
    )


def seen(message):
    return {
        "kind": type(message).__name__,
        "text": message.text,
        "replace": message.is_replace_response,
        "suggested": message.is_suggested_reply,
        "index": message.index,
        "data": message.data,
        "tool_calls": [call.model_dump() for call in message.tool_calls],
        "attachment": message.attachment and message.attachment.model_dump(),
    }


async def query(command):
    """Reads a response; after `report_after` messages all reports go out, after `stop_after` it is closed."""
    messages, errors, raised, reports = [], [], None, 0
    tools = command.get("tools")
    # Poe's rule for the first event, here for every gap.
    async with httpx.AsyncClient(timeout=httpx.Timeout(5.0)) as session:
        stream = fp.stream_request(
            request_of(command),
            command["bot"],
            command["key"],
            base_url=command["base"],
            session=session,
            num_tries=command.get("tries", 1),
            retry_sleep_time=0.01,
            on_error=lambda _, text: errors.append(text),
            tools=tools and [fp.ToolDefinition(**tool) for tool in tools],
        )
        try:
            async for message in stream:
                messages.append(seen(message))
                if len(messages) == command.get("report_after"):
                    reports = await report(command, session)
                if len(messages) == command.get("stop_after"):
                    break
        except Exception as error:
            raised = f"{type(error).__name__}: {error}"
        await stream.aclose()
    return {"messages": messages, "errors": errors, "raised": raised, "reports": reports}


async def report(command, session):
    """Sends every report there is; each must be answered while the response is open."""
    context = _BotContext(
        endpoint=command["base"] + command["bot"], session=session, api_key=command["key"]
    )
    await context.report_reaction("m-x", "u-x", "c-x", "heart")
    await context.report_reaction("", "", "", "+👍")
    await context.report_feedback("m-x", "u-x", "c-x", "like")
    await context.report_error("nothing of weight", {"message_id": "m-x"})
    return 4


async def settings(command):
    """Validates as Poe does: its models forbid keys that they do not have."""
    async with httpx.AsyncClient() as session:
        context = _BotContext(
            endpoint=command["base"] + command["bot"], session=session, api_key=command["key"]
        )
        settings = fp.SettingsResponse.model_validate(await context.fetch_settings())
    return settings.model_dump(exclude_unset=True)


async def validate(command):
    """Whether the model takes these settings, as the JSON text that they travel in."""
    try:
        fp.SettingsResponse.model_validate_json(command["json"])
        return {"valid": True}
    except ValueError:
        return {"valid": False}


async def upload(command):
    file = command.get("text")
    attachment = await fp.upload_file(
        file=file and file.encode(),
        file_url=command.get("url"),
        file_name=command.get("name"),
        api_key=command["key"],
        base_url=command["base"],
        num_tries=1,
    )
    return attachment.model_dump()


async def cost(command):
    bot = fp.PoeBot(access_key=command["key"])
    request = fp.QueryRequest(
        version=PROTOCOL_VERSION,
        type="query",
        query=[],
        user_id="",
        conversation_id="",
        message_id="",
        bot_query_id=command["id"],
    )
    items = [fp.CostItem(**item) for item in command["items"]]
    call = bot.authorize_cost if command["verb"] == "authorize" else bot.capture_cost
    try:
        await call(request, items, base_url=command["base"])
        return {"raised": None}
    except Exception as error:
        return {"raised": type(error).__name__}


async def sync(command):
    # It prints Poe's answer, and this process's output is spoken for.
    with contextlib.redirect_stdout(io.StringIO()):
        sync_bot_settings(
            command["bot"], command["key"], settings=command.get("settings"), base_url=command["base"]
        )
    return {}


COMMANDS = {f.__name__: f for f in [query, settings, validate, upload, cost, sync]}

for line in sys.stdin:
    command = json.loads(line)
    try:
        answer = {"result": asyncio.run(COMMANDS[command["do"]](command))}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
