import asyncio

from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

from consent import ADDRESS, CALLBACK, DOCUMENT, Storage, done, tool_for


async def main():
    storage = Storage()

    async def callback():
        answer = storage.answer
        return AuthorizationCodeResult(code=answer["code"][0], state=answer["state"][0], iss=answer["iss"][0])

    metadata = OAuthClientMetadata(client_name="Python SDK 2", redirect_uris=[CALLBACK], token_endpoint_auth_method="none")
    provider = OAuthClientProvider(ADDRESS, metadata, storage, storage.redirect, callback,
                                   client_metadata_url=DOCUMENT)

    async def session():
        async with create_mcp_http_client(auth=provider) as http:
            async with Client(streamable_http_client(ADDRESS, http_client=http)) as client:
                tools = (await client.list_tools()).tools
                name = tool_for(tools)
                told = await client.call_tool(name, {})
                assert not told.is_error and told.structured_content, told
                return tools, name

    await session()
    before = storage.tokens.refresh_token
    # The SDK refreshes what it believes has run out.
    provider.context.token_expiry_time = 1.0
    tools, name = await session()
    done("Python SDK 2", tools, name, storage, before)


asyncio.run(main())
