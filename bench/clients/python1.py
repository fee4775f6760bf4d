import asyncio

from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamablehttp_client
from mcp.shared.auth import OAuthClientMetadata

from consent import ADDRESS, CALLBACK, DOCUMENT, Storage, done, tool_for


async def main():
    storage = Storage()

    async def callback():
        return storage.answer["code"][0], storage.answer["state"][0]

    metadata = OAuthClientMetadata(client_name="Python SDK 1", redirect_uris=[CALLBACK], token_endpoint_auth_method="none")
    provider = OAuthClientProvider(ADDRESS, metadata, storage, storage.redirect, callback,
                                   client_metadata_url=DOCUMENT)

    async def session():
        async with streamablehttp_client(ADDRESS, auth=provider) as (read, write, _):
            async with ClientSession(read, write) as session:
                await session.initialize()
                tools = (await session.list_tools()).tools
                name = tool_for(tools)
                told = await session.call_tool(name, {})
                assert not told.isError and told.structuredContent, told
                return tools, name

    await session()
    before = storage.tokens.refresh_token
    # The SDK refreshes what it believes has run out.
    provider.context.token_expiry_time = 1.0
    tools, name = await session()
    done("Python SDK 1", tools, name, storage, before)


asyncio.run(main())
