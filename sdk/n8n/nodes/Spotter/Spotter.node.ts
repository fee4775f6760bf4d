import {
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestMethods,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
	NodeOperationError,
} from 'n8n-workflow';

import { request } from '../request';
import description from './description.json';

interface Route {
	method: string;
	path: string;
	/** The field of a list's items. */
	items?: string;
}

/** The most records that one request returns. */
const PAGE_MAX = 100;

/** Every operation of the Public API. */
export class Spotter implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Spotter',
		name: 'spotter',
		icon: 'file:spotter.svg',
		group: ['transform'],
		version: 1,
		subtitle: '={{$parameter["operation"]}}',
		description: 'Clients, bookings, invoices and more of a coaching business',
		defaults: { name: 'Spotter' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'spotterOAuth2Api', required: true }],
		properties: description.properties as INodeProperties[],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const returned: INodeExecutionData[] = [];
		for (let item = 0; item < this.getInputData().length; item++) {
			try {
				const found = await run(this, item);
				returned.push(...found.map((json) => ({ json, pairedItem: { item } })));
			} catch (error) {
				if (!this.continueOnFail()) throw error;
				returned.push({ json: { error: (error as Error).message }, pairedItem: { item } });
			}
		}
		return [returned];
	}
}

async function run(own: IExecuteFunctions, item: number): Promise<IDataObject[]> {
	const operation = own.getNodeParameter('operation', item) as string;
	const route = (description.operations as Record<string, Route>)[operation];
	if (!route) throw new NodeOperationError(own.getNode(), `There is no operation ${operation}`, { itemIndex: item });
	const has = (name: string) =>
		description.properties.some(
			(field) => field.name === name && (field.displayOptions?.show as { operation?: string[] })?.operation?.includes(operation),
		);
	const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
		encodeURIComponent(String(own.getNodeParameter(`path_${name}`, item))),
	);
	const query: IDataObject = has('query') ? { ...(own.getNodeParameter('query', item, {}) as IDataObject) } : {};
	for (const field of description.properties) {
		if (field.name.startsWith('query_') && has(field.name)) query[field.name.slice(6)] = own.getNodeParameter(field.name, item) as string;
	}
	const method = route.method as IHttpRequestMethods;
	if (!route.items) {
		const body = has('body') ? json(own, item) : undefined;
		return [await request(own, { method, path, query, ...(body && { body }) })];
	}
	const limit = own.getNodeParameter('returnAll', item) ? Infinity : (own.getNodeParameter('limit', item) as number);
	const found: IDataObject[] = [];
	let cursor: string | undefined;
	do {
		const asked = { ...query, limit: Math.min(PAGE_MAX, limit - found.length), ...(cursor && { cursor }) };
		const page = await request(own, { method, path, query: asked });
		found.push(...((page[route.items] ?? []) as IDataObject[]));
		cursor = (page.nextCursor as string | null) ?? undefined;
	} while (cursor && found.length < limit);
	return found.slice(0, limit);
}

function json(own: IExecuteFunctions, item: number): IDataObject {
	const given = own.getNodeParameter('body', item, '{}');
	if (typeof given !== 'string') return given as IDataObject;
	try {
		return JSON.parse(given) as IDataObject;
	} catch {
		throw new NodeOperationError(own.getNode(), 'The body is no JSON', { itemIndex: item });
	}
}
