import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import {
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestMethods,
	type JsonObject,
	NodeApiError,
} from 'n8n-workflow';

/** A request below `/public/v1`. */
export interface ApiRequest {
	method: IHttpRequestMethods;
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	/** Names a write; the same of every try. */
	key?: string;
}

/** The data of an answer. */
export async function request(
	own: IExecuteFunctions | IHookFunctions,
	{ method, path, query = {}, body, key }: ApiRequest,
): Promise<IDataObject> {
	const { url } = await own.getCredentials('spotterOAuth2Api');
	try {
		const answer = (await own.helpers.httpRequestWithAuthentication.call(own, 'spotterOAuth2Api', {
			method,
			url: `${String(url).replace(/\/+$/, '')}/public/v1${path}`,
			qs: query,
			...(body && { body }),
			headers: method === 'GET' ? {} : { 'Idempotency-Key': key ?? randomUUID() },
			json: true,
		})) as IDataObject;
		return answer.data as IDataObject;
	} catch (error) {
		throw new NodeApiError(own.getNode(), error as JsonObject);
	}
}

/** Whether a delivery is signed with the secret, and no older than five minutes. */
export function isAuthentic(secret: string, headers: IDataObject, body: IDataObject): boolean {
	const header = (name: string) => String(headers[name] ?? '');
	const timestamp = header('x-service-webhook-timestamp');
	if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
	const signed = `${timestamp}.${header('x-service-webhook-delivery')}.${String(body.id)}.${canonical(body)}`;
	const expected = Buffer.from(`v1=${createHmac('sha256', secret).update(signed).digest('hex')}`);
	const given = header('x-service-webhook-signature').split(',');
	return given.some((one) => {
		const own = Buffer.from(one.trim());
		return own.length === expected.length && timingSafeEqual(own, expected);
	});
}

/** JSON with sorted keys and no spaces between tokens. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (value === null || typeof value !== 'object') return JSON.stringify(value);
	const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${fields.map(([name, own]) => `${JSON.stringify(name)}:${canonical(own)}`).join(',')}}`;
}
