import type { ICredentialType, INodeProperties } from 'n8n-workflow';

/** An API client of a company: OAuth 2.0 client credentials. */
export class SpotterOAuth2Api implements ICredentialType {
	name = 'spotterOAuth2Api';
	displayName = 'Spotter API';
	extends = ['oAuth2Api'];
	properties: INodeProperties[] = [
		{
			displayName: 'URL',
			name: 'url',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'https://gym.example.com',
			description: 'Where the installation is, without a path',
		},
		{ displayName: 'Grant Type', name: 'grantType', type: 'hidden', default: 'clientCredentials' },
		{
			displayName: 'Access Token URL',
			name: 'accessTokenUrl',
			type: 'hidden',
			default: '={{$self["url"].replace(/\\/+$/, "")}}/public/v1/oauth/token',
		},
		{
			displayName: 'Scope',
			name: 'scope',
			type: 'string',
			default: '',
			description: 'Scopes of the tokens, separated by spaces; all of the API client’s when empty',
		},
		{ displayName: 'Authentication', name: 'authentication', type: 'hidden', default: 'header' },
	];
}
