import {
	type IDataObject,
	type IHookFunctions,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { events } from '../Spotter/description.json';
import { isAuthentic, request } from '../request';

/** Begins a workflow when something happens in the company. */
export class SpotterTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Spotter Trigger',
		name: 'spotterTrigger',
		icon: 'file:spotter.svg',
		group: ['trigger'],
		version: 1,
		description: 'Starts the workflow when a client, a booking, an invoice or another record changes',
		defaults: { name: 'Spotter Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'spotterOAuth2Api', required: true }],
		webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
		properties: [
			{
				displayName: 'Events',
				name: 'events',
				type: 'multiOptions',
				options: events as INodePropertyOptions[],
				default: [],
				required: true,
				description: 'What starts the workflow; each takes the scope that reading its records takes',
			},
		],
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				const { id } = this.getWorkflowStaticData('node');
				if (!id) return false;
				try {
					const { subscription } = await request(this, { method: 'GET', path: `/webhooks/${String(id)}` });
					return (subscription as IDataObject).status === 'active';
				} catch {
					return false;
				}
			},
			async create(this: IHookFunctions): Promise<boolean> {
				const body = {
					name: `n8n: ${this.getWorkflow().name ?? 'workflow'}`.slice(0, 120),
					url: this.getNodeWebhookUrl('default'),
					events: this.getNodeParameter('events') as string[],
				};
				const { subscription } = await request(this, { method: 'POST', path: '/webhooks', body });
				const { id, signingSecret } = subscription as IDataObject;
				Object.assign(this.getWorkflowStaticData('node'), { id, signingSecret });
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				const own = this.getWorkflowStaticData('node');
				if (own.id) await request(this, { method: 'DELETE', path: `/webhooks/${String(own.id)}` });
				delete own.id;
				delete own.signingSecret;
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { signingSecret } = this.getWorkflowStaticData('node');
		const body = this.getBodyData();
		if (!isAuthentic(String(signingSecret ?? ''), this.getHeaderData() as IDataObject, body)) {
			this.getResponseObject().status(401).send('The signature is wrong.');
			return { noWebhookResponse: true };
		}
		return { workflowData: [this.helpers.returnJsonArray(body)] };
	}
}
